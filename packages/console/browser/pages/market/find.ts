/** Returns a text as a ticker; undefined if it cannot be one. */
export const tickerOf = (text: string): string | undefined => {
  const ticker = text.trim().toUpperCase()
  return /^[A-Z0-9._-]{1,20}$/.test(ticker) ? ticker : undefined
}

/** The coins whose ticker contains a text; those that begin with the text come first. */
export const coinsFor = <A extends { readonly coin: string }>(
  coins: ReadonlyArray<A>,
  text: string
): ReadonlyArray<A> => {
  const wanted = text.trim().toUpperCase()
  if (wanted === "") return coins
  const rank = ({ coin }: A): number => coin === wanted ? 0 : coin.startsWith(wanted) ? 1 : 2
  return coins.filter(({ coin }) => coin.includes(wanted)).toSorted((a, b) => rank(a) - rank(b))
}
