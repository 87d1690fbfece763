import { sound } from "../text.ts"

const longest = 300

/** So many characters of a key in a row are not told. */
const telling = 6

const holdsPartOf = (word: string, secret: string): boolean => {
  if (secret.length <= telling) return word.includes(secret)
  for (let i = 0; i + telling <= secret.length; i++) if (word.includes(secret.slice(i, i + telling))) return true
  return false
}

/**
 * What a provider said, as it may be told: on one line, not long, and without words that hold a part of the key, that
 * look like one, or that are addresses, which may hold passwords.
 */
export const tellable = (message: string, secret: string): string => {
  const words = sound(message.slice(0, 4 * longest)).replace(/[\p{C}\s]+/gu, " ").trim().split(" ")
  const told = words.map((word) =>
    /:\/\/|\*\*|…\w|^["'(]?(sk|pk|key|tok)[-_]\w/iu.test(word) || (secret !== "" && holdsPartOf(word, secret))
      ? "[...]"
      : word
  ).join(" ")
  return told.length > longest ? `${told.slice(0, longest).toWellFormed()}...` : told
}
