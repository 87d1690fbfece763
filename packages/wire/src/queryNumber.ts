/** A whole number of a query; undefined where it is not given or is none. */
export const queryNumber = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name)
  return text !== null && /^\d{1,15}$/u.test(text) ? Number(text) : undefined
}
