"""The viewer: data sets, results and recorded sessions, for people to look at."""
