import { assert, describe, it } from "@effect/vitest"
import type { Stock } from "@tapeline/core"
import { findStocksByName } from "../../src/analysis/equities/matchName.ts"
import { translateCompanyNames } from "../../src/analysis/news/companyNameTranslation.ts"

const stock = (
  symbol: string,
  name: string,
  koreanName: string | null = null,
  delistedAt: number | null = null
): Stock => ({
  symbol,
  name,
  koreanName,
  country: /^\d/u.test(symbol) ? "KR" : "US",
  exchange: "KOSPI",
  currency: "KRW",
  sector: null,
  sharesOutstanding: null,
  listedAt: null,
  delistedAt
})

const stocks = [
  stock("005930", "Samsung Electronics", "삼성전자"),
  stock("009150", "Samsung Electro-Mechanics", "삼성전기"),
  stock("006400", "Samsung SDI", "삼성SDI"),
  stock("000660", "SK hynix", "SK하이닉스"),
  stock("034730", "SK", "SK"),
  stock("017670", "SK Telecom", "SK텔레콤"),
  stock("033780", "KT&G", "케이티앤지"),
  stock("030200", "KT", "케이티"),
  stock("010950", "S-Oil", "에쓰오일"),
  stock("012330", "Hyundai Mobis", "현대모비스"),
  stock("005380", "Hyundai Motor", "현대자동차"),
  stock("BRK.B", "Berkshire Hathaway", "버크셔 해서웨이"),
  stock("TMUS", "T-Mobile US", "T모바일"),
  stock("DIS", "Walt Disney", "월트 디즈니"),
  stock("MCD", "McDonald's", "맥도날드"),
  stock("TWTR", "Twitter", "트위터", 1),
  stock("TWT2", "Twitter", null)
]

const findSymbols = (text: string): ReadonlyArray<string> => findStocksByName(text, stocks).map(({ symbol }) => symbol)

describe("the lookup of a company name", () => {
  for (
    const [text, symbol] of [
      ["samsung electronics", "005930"],
      ["삼성전자", "005930"],
      ["삼성전자".normalize("NFD"), "005930"],
      ["삼성 전자", "005930"],
      ["Samsung", "005930"],
      ["Ｓａｍｓｕｎｇ", "005930"],
      ["samsung sdi", "006400"],
      ["SK", "034730"],
      ["sk 하이닉스", "000660"],
      ["하이닉스", "000660"],
      ["현대모비", "012330"],
      ["kt&g", "033780"],
      ["KT", "030200"],
      ["s-oil", "010950"],
      ["S OIL", "010950"],
      ["disney", "DIS"],
      ["디즈니", "DIS"],
      ["McDonald’s", "MCD"],
      ["mcdonald", "MCD"],
      ["brk-b", "BRK.B"],
      ["BRK B", "BRK.B"],
      ["t-mobile", "TMUS"],
      ["sdi", "006400"],
      ["005930.KS", "005930"],
      ["구글", undefined],
      ["twitter", "TWT2"]
    ] as const
  ) {
    it(`resolves ${text} to ${symbol ?? "no company"}`, () =>
      assert.deepStrictEqual(findSymbols(text), symbol === undefined ? [] : [symbol]))
  }

  it("returns every company that shares the name", () => {
    assert.deepStrictEqual(findSymbols("hyundai"), ["012330", "005380"])
    assert.deepStrictEqual(findSymbols("samsung elec"), ["005930", "009150"])
    assert.deepStrictEqual(findSymbols("현대"), ["012330", "005380"])
  })

  it("returns no company for text without a name, or for only a few letters of one", () => {
    for (const text of ["", " ", "--", "sam", "T", "US", "S", "BTC", "XRP", "ETH", "삼"]) {
      assert.deepStrictEqual(findSymbols(text), [], text)
    }
  })
})

describe("the translation of company names in a query", () => {
  for (
    const [query, other] of [
      ["삼성전자 실적", "Samsung Electronics 실적"],
      ["삼성전자의 실적", "Samsung Electronics 실적"],
      ["삼성 전자 실적", "Samsung Electronics 실적"],
      ["삼성전자".normalize("NFD"), "Samsung Electronics"],
      ["SK하이닉스 급등", "SK hynix 급등"],
      ["하이닉스와 삼성SDI는?", "SK hynix Samsung SDI ?"],
      ["samsung electronics profit", "삼성전자 profit"],
      ["트위터 매각", "Twitter 매각"],
      ["Zorblax buys Samsung Electronics", "Zorblax buys 삼성전자"],
      // No translation: an English word, a part of a word, a name that is equal in both languages, and text without a
      // name.
      ["twitter sold", undefined],
      ["hotelkt", undefined],
      ["SK", undefined],
      ["비트코인 하락", undefined],
      ["(.*)[", undefined]
    ] as const
  ) {
    it(`translates ${query} to ${other ?? "nothing"}`, () => {
      assert.strictEqual(translateCompanyNames(query, stocks), other)
    })
  }

  it("returns undefined if no company is known", () => {
    assert.strictEqual(translateCompanyNames("삼성전자", []), undefined)
  })
})
