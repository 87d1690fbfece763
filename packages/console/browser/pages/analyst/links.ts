import { parseLinkSecret } from "../signIn/link.ts"

/** Returns the address if an answer may link to it: only http and https. Otherwise returns "". */
export const safeExternalUrl = (address: string): string => {
  try {
    const { href, protocol } = new URL(address)
    return protocol === "https:" || protocol === "http:" ? href : ""
  } catch {
    return ""
  }
}

/** True for an address of the service itself, where a link can have effects, such as signing in as another user. */
export const isOwnUrl = (address: string, origin: string): boolean => {
  const url = new URL(address)
  return url.origin === origin || parseLinkSecret(url.hash) !== undefined
}

/** True if the link's text is its address, so that the reader sees the target. */
export const showsOwnUrl = (text: string, address: string): boolean => {
  const { href, password, username } = new URL(address)
  // Letters of other alphabets and marks of text direction can imitate another address.
  const isUnambiguous = /^[!-~]+$/.test(text) && username === "" && password === ""
  return isUnambiguous && [text, `https://${text}`, `http://${text}`].some((one) => safeExternalUrl(one) === href)
}

const chartPath = /\/v1\/charts\/([^/?#]+)$/

/** The chart of the answer that an address refers to; undefined for other addresses. */
export const findChart = (address: string | undefined, charts: ReadonlyArray<string>): string | undefined => {
  const id = address === undefined ? undefined : chartPath.exec(address)?.[1]
  return id === undefined ? undefined : charts.find((chart) => chartPath.exec(chart)?.[1] === id)
}

/** The charts of an answer that its text does not contain. */
export const remainingCharts = (text: string, charts: ReadonlyArray<string>): ReadonlyArray<string> =>
  charts.filter((chart) => !text.includes(chart))
