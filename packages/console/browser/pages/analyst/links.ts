import { linkIn } from "../signIn/link.ts"

/** An address that an answer's link may lead to: of the web, and of no other scheme; else "". */
export const outwards = (address: string): string => {
  try {
    const { href, protocol } = new URL(address)
    return protocol === "https:" || protocol === "http:" ? href : ""
  } catch {
    return ""
  }
}

/** Whether an address is of the service itself, where a link can do something: sign in as somebody else. */
export const isOwn = (address: string, origin: string): boolean => {
  const url = new URL(address)
  return url.origin === origin || linkIn(url.hash) !== undefined
}

/** Whether a link's text is the very address that it leads to, so that its reader sees to whom. */
export const isPlain = (text: string, address: string): boolean => {
  const { href, password, username } = new URL(address)
  // What has letters of other alphabets, or turns the direction of reading, may look like another address.
  const isSeen = /^[!-~]+$/.test(text) && username === "" && password === ""
  return isSeen && [text, `https://${text}`, `http://${text}`].some((one) => outwards(one) === href)
}

const chartPath = /\/v1\/charts\/([^/?#]+)$/

/** Which of an answer's own charts an address names; undefined of every other. */
export const chartAt = (address: string | undefined, charts: ReadonlyArray<string>): string | undefined => {
  const id = address === undefined ? undefined : chartPath.exec(address)?.[1]
  return id === undefined ? undefined : charts.find((chart) => chartPath.exec(chart)?.[1] === id)
}

/** The charts of an answer that its text does not show by itself. */
export const chartsLeft = (text: string, charts: ReadonlyArray<string>): ReadonlyArray<string> =>
  charts.filter((chart) => !text.includes(chart))
