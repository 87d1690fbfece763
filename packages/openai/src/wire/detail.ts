import { sound } from "../text.ts"

const longest = 300

/** Texts with this many consecutive characters of a key are hidden. */
const telling = 6

const holdsPartOf = (word: string, secret: string): boolean => {
  if (secret.length <= telling) return word.includes(secret)
  for (let i = 0; i + telling <= secret.length; i++) if (word.includes(secret.slice(i, i + telling))) return true
  return false
}

/**
 * Makes a provider's text safe to show: on one line and short. Hides words that contain a part of the key or look like
 * a key, and addresses, which may contain passwords.
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
