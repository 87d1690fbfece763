import { secretText } from "./secretText.ts"

const prefix = "tl_live_"
const texts = secretText(prefix)

/** A new API key: `tl_live_` and what `secretText` puts behind it. */
export const generateKey = texts.generate

/** True when `text` has a key's form and its checksum agrees. Says nothing of whether such a key was ever issued. */
export const isWellFormedKey = texts.isWellFormed

/** What may be shown of a key to recognise it by: its fixed prefix and the first four random characters. */
export const displayPrefix = (key: string): string => key.slice(0, prefix.length + 4)
