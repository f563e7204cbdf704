"""Random operations: each function adds one to a program, or gives None where no value fits. What is listed twice comes twice as often."""

import contractions
import control
import devices
import elementwise
import indexing
import known
import linear
import movement
import reductions
import shapes

ALL = [*elementwise.ALL * 2, *movement.ALL, *movement.ALL, *indexing.ALL, *indexing.ALL, *reductions.ALL, *reductions.ALL, *contractions.ALL,
       *contractions.ALL, *control.ALL, *shapes.ALL, *devices.ALL, *linear.ALL, *known.ALL]
