import { parseLinkSecret } from "../signIn/link.ts"

/** Returns the URL in normal form if its protocol is http or https, and otherwise an empty string. */
export const safeExternalUrl = (address: string): string => {
  try {
    const { href, protocol } = new URL(address)
    return protocol === "https:" || protocol === "http:" ? href : ""
  } catch {
    return ""
  }
}

/**
 * Returns whether a URL belongs to the service or contains a sign-in link, so that opening the URL could have effects.
 */
export const isOwnUrl = (address: string, origin: string): boolean => {
  const url = new URL(address)
  return url.origin === origin || parseLinkSecret(url.hash) !== undefined
}

/** Returns whether the text of a link is the URL of the link. */
export const showsOwnUrl = (text: string, address: string): boolean => {
  const { href, password, username } = new URL(address)
  // Letters of other alphabets and characters of text direction can imitate another URL.
  const isUnambiguous = /^[!-~]+$/.test(text) && username === "" && password === ""
  return isUnambiguous && [text, `https://${text}`, `http://${text}`].some((one) => safeExternalUrl(one) === href)
}

const chartPath = /\/v1\/charts\/([^/?#]+)$/

/** Returns the chart of an answer to which a URL refers; undefined for other URLs. */
export const findChart = (address: string | undefined, charts: ReadonlyArray<string>): string | undefined => {
  const id = address === undefined ? undefined : chartPath.exec(address)?.[1]
  return id === undefined ? undefined : charts.find((chart) => chartPath.exec(chart)?.[1] === id)
}

/** Returns the charts of an answer whose URLs the answer's text does not contain. */
export const remainingCharts = (text: string, charts: ReadonlyArray<string>): ReadonlyArray<string> =>
  charts.filter((chart) => !text.includes(chart))
