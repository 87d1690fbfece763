/** Formats a number without an exponent, as exchanges do, so that parsing the text returns the same number. */
export const formatDecimal = (n: number): string => {
  const text = String(n)
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/u.exec(text)
  if (match === null) return text
  const [, sign, integerPart = "", fraction = "", exponent] = match
  const digits = integerPart + fraction
  const point = integerPart.length + Number(exponent)
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`
  return point >= digits.length
    ? `${sign}${digits}${"0".repeat(point - digits.length)}`
    : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** Parses a whole number from a query parameter, and returns undefined if the parameter is missing or invalid. */
export const queryNumber = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name)
  return text !== null && /^\d{1,15}$/u.test(text) ? Number(text) : undefined
}
