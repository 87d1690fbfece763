/** The browser and the operating system that a user agent string names; undefined if unknown. */
export interface Device {
  readonly program: string | undefined
  readonly machine: string | undefined
  readonly isHandheld: boolean
}

type Rule = readonly [pattern: RegExp, name: string]

/**
 * The patterns that detect the browser in a user agent string. The first match wins, because most user agent strings
 * also contain names of other browsers.
 */
const programRules: ReadonlyArray<Rule> = [
  [/\bEdgA?\/(\d+)|\bEdgiOS\/(\d+)/, "Edge"],
  [/\bOPR\/(\d+)/, "Opera"],
  [/\bSamsungBrowser\/(\d+)/, "Samsung Internet"],
  [/\bWhale\/(\d+)/, "Whale"],
  [/\bYaBrowser\/(\d+)/, "Yandex Browser"],
  [/\bFirefox\/(\d+)|\bFxiOS\/(\d+)/, "Firefox"],
  [/\bHeadlessChrome\/(\d+)|\bChrome\/(\d+)|\bCriOS\/(\d+)/, "Chrome"],
  [/\bVersion\/(\d+)[\d.]* (?:Mobile\/\S+ )?Safari\//, "Safari"],
  [/^curl\/(\d+)/, "curl"]
]

const machineRules: ReadonlyArray<Rule> = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows NT\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"]
]

export const parseDevice = (text: string): Device => {
  const matchProgram = ([pattern, name]: Rule): string | undefined => {
    const found = pattern.exec(text)
    return found === null ? undefined : `${name} ${found.slice(1).find((version) => version !== undefined)}`
  }
  return {
    program: programRules.map(matchProgram).find((name) => name !== undefined),
    machine: machineRules.find(([pattern]) => pattern.test(text))?.[1],
    isHandheld: /\b(iPhone|iPad|Android|Mobile)\b/.test(text)
  }
}
