/** The longest name or value of a request that an error repeats, in UTF-16 units. */
const maxLength = 100

/** Shortens a name or a value of a request for an error message. An ellipsis marks what is left out. */
export const shortened = (text: string): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength).toWellFormed()}…`
