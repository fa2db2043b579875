"""scisim.backends"""
