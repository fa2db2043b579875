"""The Array API standard 2025.12 as tables of facts, and tests that hold scisim to them."""
