import { tokenFormat } from "./tokenFormat.ts"

const prefix = "tl_live_"
const keyTokens = tokenFormat(prefix)

/** Generates an API key that consists of `tl_live_`, random characters and a checksum. */
export const generateKey = keyTokens.generate

/** Returns whether `text` has the form of an API key and a correct checksum. A well-formed key need not exist. */
export const isWellFormedKey = keyTokens.isWellFormed

/** Returns the part of an API key that may be displayed: the fixed prefix and the first four random characters. */
export const displayPrefix = (key: string): string => key.slice(0, prefix.length + 4)
