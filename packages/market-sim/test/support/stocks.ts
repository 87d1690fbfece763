export const stocks = {
  us: { listed: "RDDT", delisted: "TWTR" },
  kr: { listed: "462870", delisted: "008560" },
  delistedStock: {
    symbol: "TWTR",
    tradedAt: Date.parse("2022-10-27T19:00Z"),
    delistedBy: Date.parse("2022-10-31T15:00Z")
  }
}
