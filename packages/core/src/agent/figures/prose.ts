/** Replaces masked characters. It is neither a letter, a digit nor white space. */
const filler = "\ufffc"

const months = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
const russianMonths = "(?:янв|фев|мар|апр|мая|май|июн|июл|авг|сен|окт|ноя|дек)[а-я]{0,6}"

/** Parts of a text that are no prose, or whose numbers name a moment, a version or a place in a list. */
const masked: ReadonlyArray<RegExp> = [
  // Code that is more than one number, addresses of links, and URLs
  /(?<!`)(`{1,3})(?!`)(?![-+−$₩€]?[\d.,\u00a0 ]{1,24}[%$₩€A-Za-z가-힣]{0,4}\1(?!`))[^`\n]{1,4000}\1(?!`)/g,
  /\]\([^()\s]{1,2000}(?: "[^"\n]{0,200}")?\)/g,
  /\bhttps?:\/\/[^\s)>\]]{1,2000}/g,
  // Numbers of list items and of headings
  /^[ \t>]*(?:#{1,6}[ \t]+)?\d{1,3}[.)](?=[ \t])/gm,
  // Dates and times
  /(?<!\d)\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?/g,
  /(?<!\d)\d{1,2}\.\d{1,2}\.(?:20)?\d{2}(?!\d)/g,
  /(?<![\d:])\d{1,2}:\d{2}(?::\d{2})?(?![\d:.])/g,
  new RegExp(`\\b${months}\\.? \\d{1,2}(?:st|nd|rd|th)?(?!\\d)(?:,? 20\\d{2})?`, "g"),
  new RegExp(`(?<!\\d)\\d{1,2}(?:st|nd|rd|th)? ${months}\\b(?:,? 20\\d{2})?`, "g"),
  new RegExp(`(?<!\\d)\\d{1,2}[ \\u00a0]${russianMonths}(?:[ \\u00a0]20\\d{2})?`, "g"),
  /(?<!\d)(?:\d{4}년 ?)?\d{1,2}월(?: ?\d{1,2}일)?|(?<!\d)\d{4}년|(?<!\d)\d{1,2}시(?!간)(?: ?\d{1,2}분)?/g,
  /(?<![\d.,])(?:19|20)\d{2}(?![\d%.,$₩:]\d|\d|[ \u00a0]?(?:[%$₩원만억]|USD|달러))/g,
  /\(20\d{2}\.(?:0[1-9]|1[0-2])\)/g,
  // Scales such as -1 to 1
  /(?<![\d.,])[-−](\d{1,3}) ?(?:to|~|–|до|and|и) ?\+?\1(?![\d%]|[.,]\d)/g,
  // Lists of periods and day-month pairs: 20/50/200
  /(?<![\d.,/])\d{1,3}(?:\/\d{1,3}){1,4}(?![\d.,/]\d|\d)/g,
  // The first part of a reward-to-risk ratio: 1:2.5
  /(?<![\d:.,])1:(?=\d)/g
]

const fence = /^[ \t]{0,3}(`{3,}|~{3,})/

/** Masks fenced code blocks. A block without an end continues to the end of the text. */
const maskFences = (text: string): string => {
  let openFence: string | null = null
  return text.split("\n").map((line) => {
    const marks = fence.exec(line)?.[1]
    const isCode = openFence !== null || marks !== undefined
    if (openFence === null) openFence = marks ?? null
    else if (marks?.startsWith(openFence) === true) openFence = null
    return isCode ? filler.repeat(line.length) : line
  }).join("\n")
}

/** Replaces the parts of a Markdown text whose numbers state no quantity. Positions in the text stay the same. */
export const maskNames = (text: string): string =>
  masked.reduce((prose, pattern) => prose.replaceAll(pattern, (part) => filler.repeat(part.length)), maskFences(text))
