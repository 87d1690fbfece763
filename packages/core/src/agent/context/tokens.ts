const encoder = new TextEncoder()

export const countUtf8Bytes = (text: string): number => encoder.encode(text).length

/**
 * The assumed number of UTF-8 bytes per token. Texts usually contain more bytes per token, so the estimate usually
 * exceeds the real number of tokens.
 */
const bytesPerToken = 3

/** Estimates the tokens of a text from its length in UTF-8 bytes. */
export const estimateTokens = (text: string): number => Math.ceil(countUtf8Bytes(text) / bytesPerToken)

export const tokensToBytes = (tokens: number): number => tokens * bytesPerToken

export const imageTokens = 1_600

/** Updates a model's ratio of reported to estimated tokens. The ratio changes slowly and stays between 0.3 and 3. */
export const updateCalibration = (ratio: number, estimated: number, reported: number): number =>
  estimated < 100 || reported <= 0 ? ratio : Math.min(3, Math.max(0.3, 0.7 * ratio + 0.3 * (reported / estimated)))
