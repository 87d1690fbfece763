/**
 * The kinds of filings, each with words in the titles of its filings. The first kind that matches a filing's title is
 * the kind of the filing.
 */
const kinds: ReadonlyArray<readonly [kind: string, words: RegExp]> = [
  ["ownership", /대량보유|소유상황|소유주식변동|최대주주/u],
  ["earnings", /사업보고서|반기보고서|분기보고서|실적|손익구조|감사보고서제출/u],
  ["contract", /공급계약|계약체결|양해각서|기술이전|수주/u],
  [
    "capital",
    /자기주식|유상증자|무상증자|전환사채|신주인수권|교환사채|배당|감자|출자|증권신고서|투자설명서|주식분할|주식병합|합병|회사분할/u
  ],
  ["governance", /주주총회|대표이사|사외이사|지배구조|감사위원|임원/u]
]

export const getFilingKind = (title: string): string => kinds.find(([, words]) => words.test(title))?.[0] ?? "other"
