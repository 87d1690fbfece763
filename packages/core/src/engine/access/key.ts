import { tokenFormat } from "./tokenFormat.ts"

const prefix = "tl_live_"
const keyTokens = tokenFormat(prefix)

/** Generates an API key: `tl_live_`, then random characters and a checksum, as `tokenFormat` defines. */
export const generateKey = keyTokens.generate

/** Returns whether `text` has the form of an API key and a correct checksum, whether or not the key exists. */
export const isWellFormedKey = keyTokens.isWellFormed

/** Returns the part of an API key that may be displayed: the fixed prefix and the first four random characters. */
export const displayPrefix = (key: string): string => key.slice(0, prefix.length + 4)
