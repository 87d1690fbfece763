import { Schema } from "effect"
import { makeXmlParser, Name } from "../source/index.ts"
import { parseJson } from "../source/rejections.ts"
import { unzipText } from "./unzip.ts"

/** A listed company, with the Korean regulator's code of the company. */
export interface DartCompany {
  readonly symbol: string
  readonly corpCode: string
  readonly koreanName: string
}

/** The symbol of a Korean stock: one digit, followed by five digits or capital letters. */
export const KoreanSymbol = Schema.String.check(
  Schema.isPattern(/^\d[0-9A-Z]{5}$/u, { expected: "a symbol of the Korean exchange" })
)
export const CorpCode = Schema.String.check(Schema.isPattern(/^\d{8}$/u, { expected: "a number of a company" }))

export const Companies = Schema.Struct({
  result: Schema.Struct({
    list: Schema.NonEmptyArray(Schema.Struct({ corp_code: CorpCode, corp_name: Name, stock_code: KoreanSymbol }))
  })
})

/** The maximum size of the company list in bytes; the list has about 25 MB. */
const maxBytes = 96 * 1024 * 1024
const listedPattern = /<stock_code>\s*[^\s<][^<]*<\/stock_code>/u
const parse = makeXmlParser(["list"])

/**
 * Extracts the listed companies from a ZIP archive of all companies. If `archive` contains XML or JSON, parses it as an
 * error response.
 */
export const parseCompanies = (archive: string): unknown => {
  if (/^\s*</u.test(archive)) return parse(archive)
  if (/^\s*\{/u.test(archive)) return parseJson(archive)
  const text = unzipText(archive, ".xml", maxBytes)
  if (text === undefined || !text.trimEnd().endsWith("</result>")) return undefined
  const rows: Array<string> = []
  for (let from = text.indexOf("<list>"); from >= 0; from = text.indexOf("<list>", from + 6)) {
    const to = text.indexOf("</list>", from)
    if (to < 0) return undefined
    const row = text.slice(from, to + 7)
    if (listedPattern.test(row)) rows.push(row)
  }
  return parse(`<result>${rows.join("")}</result>`)
}

/** Returns the companies by symbol, with the later company if a symbol was reassigned. */
export const toCompaniesBySymbol = ({ result }: typeof Companies.Type): ReadonlyMap<string, DartCompany> =>
  new Map(
    result.list.map(({ corp_code, corp_name, stock_code }) => [
      stock_code,
      { symbol: stock_code, corpCode: corp_code, koreanName: corp_name }
    ])
  )
