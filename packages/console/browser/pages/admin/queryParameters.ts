/** Returns the positive whole number in a text; undefined for any other text. */
export const parseId = (text: string | null | undefined): number | undefined =>
  text !== null && text !== undefined && /^[1-9]\d{0,9}$/.test(text) && Number(text) < 2 ** 31
    ? Number(text)
    : undefined

/** Returns a cursor of the address as the number that the API expects; undefined for any other text. */
export const parseCursor = (text: string | null): number | undefined =>
  text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
