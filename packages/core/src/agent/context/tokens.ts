const encoder = new TextEncoder()

/** Returns the length of `text` in UTF-8 bytes. */
export const countUtf8Bytes = (text: string): number => encoder.encode(text).length

/**
 * A low estimate for prose and JSON in all supported languages, so that token counts are too high rather than too low.
 */
const bytesPerToken = 3

/** Estimates the tokens of a text, before the model has reported any. */
export const estimateTokens = (text: string): number => Math.ceil(countUtf8Bytes(text) / bytesPerToken)

/** Returns the number of bytes that are estimated as `tokens`. */
export const tokensToBytes = (tokens: number): number => tokens * bytesPerToken

/** The estimated tokens of an image. */
export const imageTokens = 1_600

/**
 * Updates a model's calibration factor: reported tokens per estimated token. It moves slowly, so that one odd report
 * changes little, and stays within a plausible range. Estimates under 100 tokens do not count.
 */
export const updateCalibration = (ratio: number, estimated: number, reported: number): number =>
  estimated < 100 || reported <= 0 ? ratio : Math.min(3, Math.max(0.3, 0.7 * ratio + 0.3 * (reported / estimated)))
