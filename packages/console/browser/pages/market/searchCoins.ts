/** Returns a text as a ticker in capital letters; undefined if the text cannot be a ticker. */
export const parseTicker = (text: string): string | undefined => {
  const ticker = text.trim().toUpperCase()
  return /^[A-Z0-9._-]{1,20}$/.test(ticker) ? ticker : undefined
}

/** Returns the coins whose ticker contains a text, beginning with tickers that begin with the text. */
export const searchCoins = <A extends { readonly coin: string }>(
  coins: ReadonlyArray<A>,
  text: string
): ReadonlyArray<A> => {
  const searched = text.trim().toUpperCase()
  if (searched === "") return coins
  const rank = ({ coin }: A): number => coin === searched ? 0 : coin.startsWith(searched) ? 1 : 2
  return coins.filter(({ coin }) => coin.includes(searched)).toSorted((a, b) => rank(a) - rank(b))
}
