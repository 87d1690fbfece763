const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]

/** The common name of a dated future on all venues: `BTC-25DEC26`. */
export const instrumentOf = (coin: string, expiryAt: number): string => {
  const date = new Date(expiryAt)
  return `${coin}-${date.getUTCDate()}${months[date.getUTCMonth()]!}${String(date.getUTCFullYear()).slice(2)}`
}
