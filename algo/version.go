package algo

// Version is what this program calls itself, and the models that it trains.
const Version = "0.1.0"
