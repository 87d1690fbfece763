/** Lists large stocks of many sectors, with their sectors and Korean names, because Yahoo reports neither. */
import type { EquityCountry } from "@tapeline/core/market"

/** US stock symbols with Korean names, by sector. */
const usStocks = {
  technology: [
    "AAPL 애플, MSFT 마이크로소프트, MSTR 스트래티지, ORCL 오라클, CRM 세일즈포스, ADBE 어도비",
    "IBM 아이비엠, CSCO 시스코, PLTR 팔란티어"
  ].join(", "),
  semiconductors: [
    "NVDA 엔비디아, AVGO 브로드컴, AMD AMD, INTC 인텔, QCOM 퀄컴, MU 마이크론",
    "TXN 텍사스 인스트루먼트"
  ].join(", "),
  communication: "GOOGL 알파벳, META 메타, DIS 월트 디즈니, NFLX 넷플릭스, TMUS T모바일, VZ 버라이즌, RDDT 레딧",
  "consumer discretionary": "AMZN 아마존, TSLA 테슬라, HD 홈디포, MCD 맥도날드, NKE 나이키",
  financials: [
    "BRK.B 버크셔 해서웨이, JPM JP모건 체이스, V 비자, MA 마스터카드, BAC 뱅크오브아메리카, WFC 웰스파고",
    "GS 골드만삭스, MS 모건스탠리, COIN 코인베이스, HOOD 로빈후드"
  ].join(", "),
  "health care": [
    "LLY 일라이 릴리, UNH 유나이티드헬스, JNJ 존슨앤드존슨, ABBV 애브비, MRK 머크, PFE 화이자",
    "TMO 써모 피셔"
  ].join(", "),
  "consumer staples": "WMT 월마트, COST 코스트코, PG 프록터 앤드 갬블, KO 코카콜라, PEP 펩시코",
  energy: "XOM 엑슨모빌, CVX 셰브론, COP 코노코필립스",
  industrials: [
    "CAT 캐터필러, GE GE 에어로스페이스, BA 보잉, HON 허니웰, UPS 유나이티드 파슬 서비스, LMT 록히드마틴",
    "UBER 우버"
  ].join(", "),
  utilities: "NEE 넥스트에라 에너지"
}

const krStocks = {
  semiconductors: "005930 삼성전자, 000660 SK하이닉스",
  batteries: "373220 LG에너지솔루션, 006400 삼성SDI, 247540 에코프로비엠, 086520 에코프로",
  "health care": "207940 삼성바이오로직스, 068270 셀트리온, 196170 알테오젠, 028300 에이치엘비",
  automobiles: "005380 현대자동차, 000270 기아, 012330 현대모비스",
  materials: "005490 POSCO홀딩스, 051910 LG화학, 010130 고려아연, 011170 롯데케미칼",
  internet: "035420 네이버, 035720 카카오",
  financials: [
    "105560 KB금융, 055550 신한지주, 086790 하나금융지주, 316140 우리금융지주, 032830 삼성생명",
    "000810 삼성화재, 138040 메리츠금융지주"
  ].join(", "),
  energy: "096770 SK이노베이션, 010950 에쓰오일, 009830 한화솔루션",
  industrials: [
    "028260 삼성물산, 034730 SK, 003550 LG, 034020 두산에너빌리티, 003490 대한항공",
    "277810 레인보우로보틱스"
  ].join(", "),
  technology: "066570 LG전자, 009150 삼성전기, 018260 삼성에스디에스",
  utilities: "015760 한국전력",
  telecom: "017670 SK텔레콤, 030200 케이티",
  "consumer staples": [
    "033780 케이티앤지, 090430 아모레퍼시픽, 051900 LG생활건강, 097950 CJ제일제당, 271560 오리온",
    "003230 삼양식품"
  ].join(", "),
  defence: "012450 한화에어로스페이스, 079550 LIG넥스원, 064350 현대로템, 047810 한국항공우주",
  shipbuilding: "329180 HD현대중공업, 042660 한화오션, 010140 삼성중공업",
  games: "259960 크래프톤, 036570 엔씨소프트, 263750 펄어비스, 462870 시프트업",
  entertainment: "352820 하이브, 035900 JYP엔터테인먼트, 041510 SM엔터테인먼트"
}

/** The facts of a stock that Yahoo does not report. */
export interface KnownStock {
  readonly symbol: string
  readonly country: EquityCountry
  readonly sector: string
  readonly koreanName: string
}

const parseStocks = (country: EquityCountry, bySector: Readonly<Record<string, string>>): ReadonlyArray<KnownStock> =>
  Object.entries(bySector).flatMap(([sector, stocks]) =>
    stocks.split(", ").map((one) => {
      const space = one.indexOf(" ")
      return { symbol: one.slice(0, space), country, sector, koreanName: one.slice(space + 1) }
    })
  )

export const knownStocks: ReadonlyMap<string, KnownStock> = new Map(
  [...parseStocks("US", usStocks), ...parseStocks("KR", krStocks)].map((known) => [known.symbol, known])
)

/** Stock symbols by country, as their exchanges write them. */
export type StockList = Readonly<Record<EquityCountry, ReadonlyArray<string>>>

const symbolsOf = (wanted: EquityCountry): ReadonlyArray<string> =>
  [...knownStocks.values()].filter(({ country }) => country === wanted).map(({ symbol }) => symbol)

export const defaultStocks: StockList = { US: symbolsOf("US"), KR: symbolsOf("KR") }
