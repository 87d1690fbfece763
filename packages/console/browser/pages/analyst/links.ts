/** An address that an answer's link may lead to: of the web, and of no other scheme; else "". */
export const outwards = (address: string): string => {
  try {
    const { href, protocol } = new URL(address)
    return protocol === "https:" || protocol === "http:" ? href : ""
  } catch {
    return ""
  }
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
