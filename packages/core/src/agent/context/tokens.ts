const encoder = new TextEncoder()

/** Bytes of `text` in UTF-8. */
export const utf8Bytes = (text: string): number => encoder.encode(text).length

/** Of prose and JSON in any of our languages: more tokens than there are, rather than fewer. */
const bytesPerToken = 3

/** What a text is taken to be read as, before any model has said what it is. */
export const estimateTokens = (text: string): number => Math.ceil(utf8Bytes(text) / bytesPerToken)

/** The most bytes that `tokens` are taken to be. */
export const bytesOf = (tokens: number): number => tokens * bytesPerToken

/** An image is taken to be read as so many. */
export const imageTokens = 1_600

/**
 * How far estimates are off for a model, by what it reports: reported tokens for each estimated one. It moves slowly,
 * so that one odd report does little, and stays within what could be true.
 */
export const calibrate = (ratio: number, estimated: number, reported: number): number =>
  estimated < 100 || reported <= 0 ? ratio : Math.min(3, Math.max(0.3, 0.7 * ratio + 0.3 * (reported / estimated)))
