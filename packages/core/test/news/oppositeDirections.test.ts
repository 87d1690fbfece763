import { assert, describe, it } from "@effect/vitest"
import { makeArticleFilter } from "../../src/analysis/news/articleFilter.ts"
import { makeOppositeTest } from "../../src/analysis/news/oppositeDirections.ts"

describe("opposite directions of news", () => {
  const article = (title: string, body = "") => ({ title, body })

  it("are detected in English, Korean and Russian", () => {
    const pairs: ReadonlyArray<readonly [query: string, same: string, opposite: string]> = [
      ["bitcoin ETF inflows", "ETF inflows reach a record", "Spot ETFs see outflows"],
      ["비트코인 급락", "비트코인 10% 하락", "비트코인 10% 상승"],
      ["рост биткоина", "Биткоин вырос", "Биткоин рухнул"],
      ["Fed rate cut", "Fed cuts rates", "Fed hikes rates"],
      ["금리 인상", "기준금리 인상", "기준금리 인하"],
      ["신규 상장", "알트코인 상장", "알트코인 상장폐지"],
      ["ETF approved", "SEC approves the ETF", "SEC rejects the ETF"],
      ["whales are selling", "Whales sold coins", "Whales bought coins"],
      ["bitcoin rises", "Bitcoin is up 5%", "Bitcoin drops the most since March"],
      ["Cardano falls", "ADA falls 5.1% as longs retreat", "ADA up 5.1% as shorts retreat"],
      ["Dogecoin rises", "DOGE rises 5.0% as short sellers retreat", "DOGE retreats 5.0%"],
      ["Nvidia earnings beat estimates", "Nvidia tops estimates", "NVIDIA falls short of estimates"],
      ["Oracle missed estimates", "Oracle falls short of estimates", "Oracle beats estimates"],
      ["Tesla earnings beat", "Tesla topped analysts' revenue estimates", "Tesla misses on revenue"],
      ["Tesla revenue miss", "Tesla missed Wall Street's forecasts", "Tesla exceeds expectations"],
      ["прибыль превзошла прогноз", "Прибыль превысила оценки", "Прибыль не дотянула до прогноза"],
      ["Microsoft downgraded", "Analyst downgrades Microsoft", "Analyst upgrades Microsoft"],
      ["US unemployment below forecast", "Unemployment below forecast", "Unemployment above forecast"],
      ["inflation hotter than expected", "Inflation above forecast", "Inflation below forecast"],
      ["삼성전자 실적 부진", "삼성전자, 시장 기대 하회", "삼성전자, 시장 기대 상회"],
      ["투자의견 하향", "목표가 하향", "목표가 상향"],
      ["инфляция выше прогноза", "Инфляция выше ожиданий", "Инфляция ниже прогноза"],
      ["понизили рейтинг", "Аналитик понизил рейтинг", "Аналитик повысил рейтинг"]
    ]
    for (const [query, same, opposite] of pairs) {
      assert.isFalse(makeOppositeTest(query)(article(same)), same)
      assert.isTrue(makeOppositeTest(query)(article(opposite)), opposite)
      assert.isTrue(makeOppositeTest(query)(article("Markets", opposite)), opposite)
    }
  })

  it("require an estimate or a result next to miss, beat, top and exceed", () => {
    for (
      const [query, title] of [
        ["what did I miss in NVIDIA earnings", "NVIDIA beats estimates with 2026Q3 profit of $1.89 a share"],
        ["did I miss the CPI forecast", "CPI tops forecasts"],
        ["what did I miss on bitcoin today", "Bitcoin tops $100,000"],
        ["bitcoin tops 70000", "What you missed: bitcoin breaks 70,000"],
        ["bitcoin exceeds 70000", "Don't miss the earnings of Coinbase"],
        ["NVIDIA missed estimates", "Bitcoin beats gold. NVIDIA is next"],
        ["прибыль ниже прогноза", "Биткоин превысил 100 000 долларов"],
        ["биткоин не дотянул до 100 000", "Прибыль Coinbase выше прогноза"]
      ] as const
    ) assert.isFalse(makeOppositeTest(query)(article(title)), `${query}: ${title}`)
  })

  it("do not treat falling short as a falling price", () => {
    for (const query of ["Tesla falls short of estimates", "Tesla fell short", "did Tesla fall short of estimates"]) {
      assert.isFalse(makeOppositeTest(query)(article("Tesla shares jump 5%", "Tesla misses estimates.")), query)
      const { accepts } = makeArticleFilter([query])
      assert.isTrue(accepts({ title: "Tesla misses estimates: 2026Q3 profit $0.41", body: "", coins: [] }), query)
    }
    assert.isTrue(makeOppositeTest("Tesla falls short of estimates")(article("Tesla beats estimates")))
  })

  it("require a text that names exactly one side, in its title or else in its body", () => {
    const isOpposite = makeOppositeTest("why did bitcoin fall")
    assert.isFalse(isOpposite(article("Bitcoin rises after a fall")))
    assert.isFalse(isOpposite(article("Bitcoin holds")))
    assert.isFalse(isOpposite(article("Bitcoin slides", "It rose the day before.")))
    assert.isTrue(isOpposite(article("Bitcoin climbs", "It fell the day before.")))
    assert.isFalse(makeOppositeTest("bitcoin news")(article("Bitcoin climbs")))
    assert.isFalse(makeOppositeTest("")(article("")))
  })
})

describe("articles that answer a question", () => {
  const makeMatcher = (wordings: ReadonlyArray<string>) => makeArticleFilter(wordings).accepts
  const article = { title: "Ether climbs", body: "", coins: ["ETH"] }

  it("are about one of the named coins, by their text or by their source's tags", () => {
    assert.isTrue(makeMatcher(["ethereum price"])(article))
    assert.isTrue(makeMatcher(["이더리움과 솔라나"])(article))
    assert.isTrue(makeMatcher(["SOL"])({ ...article, coins: ["SOL"] }))
    assert.isFalse(makeMatcher(["bitcoin price"])(article))
    assert.isTrue(makeMatcher(["market news"])(article))
  })

  it("are about all subjects of the question", () => {
    const mining = { title: "Miners switch off machines", body: "Hashrate fell.", coins: [] }
    assert.isTrue(makeMatcher(["채굴"])(mining))
    assert.isFalse(makeMatcher(["stablecoin mining"])(mining))
    assert.isFalse(makeMatcher(["Bank of Korea"])({ title: "The Fed holds rates", body: "", coins: [] }))
  })

  it("report a rise or a fall of the named coin's price if the question asks for it", () => {
    const makeItem = (title: string, body = "") => ({ title, body, coins: ["BTC"] })
    for (
      const [query, title, isFit] of [
        ["bitcoin falls", "Bitcoin slides to a low of the month", true],
        ["bitcoin falls", "Bitcoin weakens", true],
        ["bitcoin falls", "Bitcoin drops the most since March", true],
        ["bitcoin falls", "Bitcoin drops a further 5%", true],
        ["bitcoin falls", "Bitcoin drops after the SEC appeals", true],
        ["bitcoin falls", "Bitcoin dropped all of its gains", true],
        ["bitcoin falls", "Bitcoin dips below $90,000", true],
        ["bitcoin falls", "Bitcoin retreats to $90,000", true],
        ["bitcoin falls", "Bitcoin is down 5%", true],
        ["bitcoin falls", "Bitcoin is down by more than 5.2 %", true],
        ["bitcoin falls", "Bitcoin lender brings its rate down to 5%", false],
        ["bitcoin falls", "Bitcoin startup drops its plan to merge", false],
        ["bitcoin dump", "Bitcoin dumps 5%", true],
        ["bitcoin dump", "Trader of bitcoin is charged with a pump-and-dump scheme", false],
        ["bitcoin pump", "Bitcoin pumps 5%", true],
        ["bitcoin rises", "Bitcoin is up 5%", true],
        ["bitcoin rises", "Bitcoin lender pays up to 5%", false],
        ["bitcoin falls", "Software company buys another 3,000 bitcoin", false],
        ["bitcoin falls", "Hashrate falls. Bitcoin holds", false],
        ["bitcoin rises", "Bitcoin climbs past $100,000", true],
        ["bitcoin rises", "Bitcoin hits an all-time high", true],
        ["bitcoin rises", "Spot bitcoin ETFs draw a record sum", false],
        ["비트코인 하락", "비트코인 10% 급락", true],
        ["비트코인 상승", "고래, 비트코인 1만 개 거래소로 이동", false],
        ["биткоин падает", "Биткоин рухнул", true],
        ["биткоин подешевел", "Биткоин подешевел на 5%", true],
        ["биткоин растет", "В регионах вводят запрет на майнинг биткоина", false],
        ["xrp falls", "SEC drops its appeal in the Ripple case", false],
        ["xrp falls", "SEC drops all remaining fraud charges against Ripple", false],
        ["SEC drops case against Ripple", "SEC ends Ripple case", true],
        // The question is about rising inflows, not about a rising price.
        ["bitcoin ETF inflows rise", "Bitcoin ETF inflows reach a record", true],
        ["buy the bitcoin dip", "Bitcoin climbs as whales buy", true],
        ["bitcoin news", "Software company buys another 3,000 bitcoin", true],
        // Titles in which another subject moves, or in which the coin is only the object of the verb.
        ["bitcoin falls", "Merchants drop bitcoin payments", false],
        ["bitcoin falls", "Why merchants dropped the bitcoin discount", false],
        ["bitcoin falls", "Rollup costs keep falling, bitcoin usage in focus", false],
        ["bitcoin falls", "Bitcoin rose 0.9% over the day, and ether fell 0.4%", false],
        ["bitcoin falls", "Bitcoin and ether fall", true],
        ["bitcoin falls", "Bitcoin rose, then fell", true],
        ["bitcoin falls", "A slump sends bitcoin below $90,000", true],
        ["bitcoin falls", "A drop in bitcoin liquidates longs", true],
        ["bitcoin falls", "Falling bitcoin hits miners", true],
        ["биткоин падает", "Упал биткоин", true]
      ] as const
    ) {
      const article = title.includes("Ripple") ? { ...makeItem(title), coins: ["XRP"] } : makeItem(title)
      assert.strictEqual(makeMatcher([query])(article), isFit, `${query}: ${title}`)
    }
  })

  it("name the subject in the title, in the first sentence or twice, outside company names", () => {
    const companies = [["S-Oil", "에쓰오일"], ["Gold"]]
    const isAccepted = (query: string, title: string, body = "") =>
      makeArticleFilter([query], companies).accepts({ title, body, coins: [] })
    assert.isTrue(isAccepted("oil prices", "Crude slips"))
    assert.isTrue(isAccepted("oil prices", "Markets", "Brent fell 2%. Bonds held."))
    assert.isTrue(isAccepted("oil prices", "Markets", "Bonds held. Brent fell. Crude stocks grew."))
    assert.isFalse(isAccepted("oil prices", "Miners cut bills", "Tariffs rise. Gas at oil wells is used."))
    assert.isFalse(isAccepted("oil prices", "S-Oil beats estimates", "S-Oil (010950) reported earnings."))
    assert.isTrue(isAccepted("oil prices", "S-Oil gains as crude climbs"))
    assert.isTrue(isAccepted("S-Oil", "S-Oil beats estimates"))
    assert.isTrue(isAccepted("S-Oil earnings", "에쓰오일 공시"))
    assert.isFalse(isAccepted("S-Oil", "Oil slips"))
    // A company whose name equals the name of a subject does not hide the subject.
    assert.isTrue(isAccepted("gold price", "Gold sets a record"))
  })

  it("are about regulation, burns, outages or exchanges if the question names them", () => {
    const article = (title: string) => ({ title, body: "", coins: ["BTC", "USDC", "SOL"] })
    assert.isFalse(makeMatcher(["stablecoin burn"])(article("New rules for stablecoin issuers")))
    assert.isTrue(makeMatcher(["stablecoin burn"])(article("Issuer burns stablecoins worth $1 billion")))
    assert.isFalse(makeMatcher(["비트코인 규제"])(article("고래, 비트코인 1만 개 이동")))
    assert.isTrue(makeMatcher(["비트코인 규제"])(article("Lawmakers draft a bill on bitcoin")))
    assert.isFalse(makeMatcher(["솔라나 중단 장애"])(article("솔라나 업그레이드")))
    assert.isFalse(makeMatcher(["взлом биржи"])(article("Bridge was hacked")))
  })

  it("are about the country whose economic data the question names", () => {
    const article = (title: string) => ({ title, body: "", coins: [] })
    for (
      const [query, same, other] of [
        ["Japan CPI", "Japanese National Core CPI YoY prints 2.5%", "US CPI YoY at 2.9%"],
        ["일본 물가", "일본 CPI 2.5%", "한국 소비자물가 2.8%"],
        ["China exports", "Chinese exports fall", "Korean exports fall"],
        ["UK inflation", "British CPI rises", "US CPI rises"],
        ["eurozone inflation", "Euro-area CPI at 2.1%", "US CPI at 2.9%"],
        ["инфляция в Японии", "Japanese CPI prints 2.5%", "US CPI at 2.9%"]
      ] as const
    ) {
      assert.isTrue(makeArticleFilter([query]).accepts(article(same)), same)
      assert.isFalse(makeArticleFilter([query]).accepts(article(other)), other)
    }
    assert.isTrue(makeArticleFilter(["Bank of Japan"]).accepts(article("BOJ raises its rate")))
    assert.isTrue(makeArticleFilter(["일본은행 금리"]).accepts(article("Bank of Japan raises its rate")))
  })

  it("match a country by its central bank, its capital or its main index", () => {
    const article = (title: string) => ({ title, body: "", coins: [] })
    for (
      const [query, same, other] of [
        ["Japan interest rates", "BOJ raises its policy rate to 1 %", "Fed raises its policy rate"],
        ["일본 금리", "일본은행, 금리 인상", "한국은행, 금리 인상"],
        ["ставки в Японии", "Банк Японии повысил ставку", "Банк России повысил ставку"],
        ["UK interest rates", "Bank of England holds rates", "Bank of Korea holds rates"],
        ["영국 금리", "영란은행, 금리 동결", "한국은행, 금리 동결"],
        ["eurozone interest rates", "ECB cuts interest rates", "Fed cuts interest rates"],
        ["ставки в еврозоне", "ЕЦБ снизил ставку", "ФРС снизила ставку"],
        ["China stimulus", "Beijing cuts the reserve ratio", "Washington cuts taxes"],
        ["China crypto ban", "PBoC reiterates crypto ban", "India reiterates crypto ban"],
        ["중국 암호화폐 금지", "인민은행, 암호화폐 금지 재확인", "인도, 암호화폐 금지 재확인"],
        ["Japan stocks", "Nikkei closes at a record", "Kospi closes at a record"],
        ["UK stocks", "FTSE 100 closes at a record", "FTSE Russell adds Seoul shares"],
        ["Japan AI spending", "Tokyo plans AI spending", "Nikkei Asia: Seoul plans AI spending"]
      ] as const
    ) {
      assert.isTrue(makeArticleFilter([query]).accepts(article(same)), `${query}: ${same}`)
      assert.isFalse(makeArticleFilter([query]).accepts(article(other)), `${query}: ${other}`)
    }
    assert.isFalse(makeArticleFilter(["Bank of Japan"]).accepts(article("Japanese stocks close at a record")))
    assert.isFalse(makeArticleFilter(["일본은행 금리"]).accepts(article("일본 국채 금리 상승")))
  })
})
