/** Reads a whole number of a query. Returns undefined if it is missing or invalid. */
export const queryNumber = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name)
  return text !== null && /^\d{1,15}$/u.test(text) ? Number(text) : undefined
}
