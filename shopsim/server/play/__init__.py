"""Play: people shop in the simulator, and what they did can become sessions of a data set."""
