package algo

// Version is the version of the program and of the models that it trains.
const Version = "0.1.0"
