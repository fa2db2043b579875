"""Neural networks: modules are pytrees of parameters, called as functions.

A module never changes.  ``module(x)`` gives its output; where buffers follow the data (`BatchNorm`),
``y, module = module.apply(x)`` gives the output and the module after it.

All layers take ``dtype="complex64"`` or ``"complex128"``.  Of activations, `crelu`, `zrelu`, `cardioid`, `modrelu`
(`ModReLU`) and ``split(f)`` are made for complex numbers.
"""

from scisim.nn import initializers as initializers
from scisim.nn.activations import ACTIVATIONS as ACTIVATIONS
from scisim.nn.activations import activation as activation
from scisim.nn.activations import gelu_tanh as gelu_tanh
from scisim.nn.activations import silu as silu
from scisim.nn.activations import softplus as softplus
from scisim.nn.complex_activations import cardioid as cardioid
from scisim.nn.complex_activations import crelu as crelu
from scisim.nn.complex_activations import modrelu as modrelu
from scisim.nn.complex_activations import split as split
from scisim.nn.complex_activations import zrelu as zrelu
from scisim.nn.embeddings import FourierFeatures as FourierFeatures
from scisim.nn.embeddings import Periodic as Periodic
from scisim.nn.embeddings import Scale as Scale
from scisim.nn.layers import Dropout as Dropout
from scisim.nn.layers import Function as Function
from scisim.nn.layers import Linear as Linear
from scisim.nn.layers import Sequential as Sequential
from scisim.nn.module import Module as Module
from scisim.nn.module import field as field
from scisim.nn.networks import MLP as MLP
from scisim.nn.networks import Field as Field
from scisim.nn.norm import BatchNorm as BatchNorm
from scisim.nn.norm import LayerNorm as LayerNorm
from scisim.nn.rectifiers import ModReLU as ModReLU
from scisim.nn.spectral import FourierLayer as FourierLayer
from scisim.nn.spectral import SpectralConv as SpectralConv
from scisim.nn.trees import combine as combine
from scisim.nn.trees import count as count
from scisim.nn.trees import eval as eval
from scisim.nn.trees import parameters as parameters
from scisim.nn.trees import partition as partition
from scisim.nn.trees import train as train
