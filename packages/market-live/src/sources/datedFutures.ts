const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]

/** A dated future's name that all venues share: `BTC-25DEC26`. */
export const instrumentOf = (coin: string, expiryAt: number): string => {
  const date = new Date(expiryAt)
  return `${coin}-${date.getUTCDate()}${months[date.getUTCMonth()]!}${String(date.getUTCFullYear()).slice(2)}`
}
