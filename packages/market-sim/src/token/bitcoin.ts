/**
 * Times of Bitcoin's halvings, and the number of coins in existence at each. The times after 2024 assume blocks of ten
 * minutes.
 *
 * Source: the subsidy of 50 BTC, halved every 210,000 blocks, of Bitcoin Core's `GetBlockSubsidy`; times of the blocks
 * 420,000, 630,000 and 840,000.
 */
const halvings: ReadonlyArray<readonly [time: number, coins: number]> = [
  [Date.parse("2016-07-09T16:46:13Z"), 15_750_000],
  [Date.parse("2020-05-11T19:23:43Z"), 18_375_000],
  [Date.parse("2024-04-20T00:09:27Z"), 19_687_500],
  [Date.parse("2028-04-17T08:00:00Z"), 20_343_750],
  [Date.parse("2032-04-14T16:00:00Z"), 20_671_875]
]

/**
 * Returns the whole bitcoins mined before `instant` (epoch ms), interpolated between halvings. Before 2016 and after
 * 2032 it returns the number at the nearest halving.
 */
export const minedBitcoins = (instant: number): number => {
  const time = Math.min(Math.max(instant, halvings[0]![0]), halvings.at(-1)![0])
  const next = halvings.findIndex(([halving]) => halving > time)
  const last = next < 0 ? halvings.length - 1 : next
  const [[from, before], [to, after]] = [halvings[last - 1]!, halvings[last]!]
  return Math.floor(before + (after - before) * (time - from) / (to - from))
}
