import { foldText, splitWords, type Word } from "@tapeline/core/analysis"

/**
 * The names of each concept in English, Korean and Russian. A name that ends in `*` matches every word with that
 * beginning, and Korean names also match inside words.
 */
const table: ReadonlyArray<string> = [
  // Coins.
  "btc|bitcoin|비트코인|биткоин*|биткойн*",
  "eth|ethereum|ether|이더리움|эфир*|этериум*",
  "sol|solana|솔라나|солан*",
  "xrp|ripple|리플|엑스알피|рипл*",
  "bnb|binance coin|바이낸스코인",
  "doge|dogecoin|도지코인|도지|догекоин*",
  "ada|cardano|에이다|카르다노|кардано",
  "avax|avalanche|아발란체|аваланч*",
  "link|chainlink|체인링크|чейнлинк*",
  "dot|polkadot|폴카닷|полкадот*",
  "trx|tron|트론|трон",
  "ltc|litecoin|라이트코인|лайткоин*",
  "shib|shiba|시바이누|시바|шиба*",
  "ton|toncoin|톤코인|тонкоин*",
  "sui|수이|суи",
  "arb|arbitrum|아비트럼|арбитрум*",
  "matic|polygon|폴리곤|полигон*",
  "usdt|tether|테더|тезер*|тетер*",
  "usdc|circle|서클",
  "altcoin*|alts|알트코인|알트|альткоин*|альт*",
  "memecoin*|meme|밈코인|밈|мемкоин*|мем*",
  "stablecoin*|스테이블코인|стейблкоин*|стаблкоин*",
  "crypto*|digital assets|가상자산|암호화폐|가상화폐|코인|крипт*",
  // Price moves.
  "fall*|fell|drop*|declin*|slid*|slump*|plung*|tumbl*|crash*|sink*|sank|selloff|sell-off|slip*|lose*|lost|" +
  "하락|급락|폭락|떨어|내렸|내림|약세|паден*|упал*|падает|падал*|снижен*|снизил*|снижа*|обвал*|рухнул*|просел*|просад*",
  "rise*|rising|rose|gain*|rall*|climb*|surg*|jump*|soar*|advance*|rebound*|recover*|" +
  "상승|급등|폭등|올랐|오름|반등|강세|회복|рост*|вырос*|растет|растут|подорожа*|взлет*|отскок*|отскочи*|поднял*|восстанов*",
  "record|all-time high|ath|신고가|최고가|사상 최고|рекорд*|максимум*",
  "low|bottom|저점|최저|минимум*|дно",
  "volatil*|변동성|волатильн*",
  "volume*|turnover|거래량|거래대금|объем*",
  "liquidat*|청산|강제청산|ликвидац*",
  "leverag*|레버리지|плеч*",
  "short*|공매도|숏|шорт*",
  "long*|롱|лонг*|длинн*",
  "funding|펀딩|펀딩비|фандинг*|финансирован*",
  "futures|perpetual*|선물|무기한|фьючерс*",
  "option*|옵션|опцион*",
  // Events.
  "etf*|상장지수펀드|이티에프",
  "inflow*|유입|순유입|приток*|притек*",
  "outflow*|유출|순유출|отток*|утек*",
  "fund*|펀드|фонд*",
  "hack*|exploit*|breach*|stolen|theft|drain*|attack*|해킹|탈취|공격|도난|взлом*|хакер*|украден*|украл*|кража|краж*|атак*",
  "regulat*|rules|rule|규제|당국|금융위|금감원|регулир*|регулятор*|правил*",
  "law*|bill|legislat*|act|법안|법률|입법|закон*|законопроект*",
  "sec|securities and exchange commission|증권거래위원회|комисси*",
  "lawsuit*|sue*|sued|court*|judge*|소송|법원|판결|суд|суда|суде|иск*|судебн*",
  "tax*|과세|세금|налог*",
  "ban*|prohibit*|금지|запрет*|запрещ*",
  "approv*|승인|허가|одобр*|разреш*",
  "licen*|인가|라이선스|лиценз*",
  "sanction*|제재|санкц*",
  "fraud*|scam*|사기|мошенн*|обман*",
  "bankrupt*|insolven*|파산|банкрот*",
  "listing*|listed|list|상장|листинг*|добавил*",
  "delist*|상장폐지|상폐|거래지원|делистинг*",
  "exchange*|거래소|бирж*",
  "treasur*|보유|재무|казн*|резерв*",
  "buyback*|repurchas*|자사주|выкуп*",
  "purchas*|buy*|bought|acquir*|매수|매입|인수|покуп*|купил*|приобр*",
  "sell*|sold|매도|매각|прода*",
  "whale*|고래|кит|киты|китов",
  "unlock*|vesting|락업|언락|물량|разблок*",
  "upgrade*|hard fork|fork|업그레이드|하드포크|обновлен*|хардфорк*|апгрейд*",
  "outage*|halt*|downtime|중단|장애|сбой|сбоя|сбои|останов*",
  "staking|stake*|스테이킹|стейкинг*|стейк*",
  "mining|miner*|hashrate|hash rate|채굴|채굴자|해시레이트|майнинг*|майнер*|хешрейт*",
  "halving|반감기|халвинг*",
  "defi|decentrali*|디파이|탈중앙|дефи|децентрализ*",
  "nft*|엔에프티",
  "airdrop*|에어드롭|эйрдроп*|аирдроп*",
  "wallet*|지갑|кошел*",
  "custod*|수탁|커스터디|кастоди*|хранен*",
  "institution*|기관|институц*",
  "retail|개인 투자자|개미|розничн*",
  "foreign*|외국인|иностран*",
  "premium|kimchi premium|김치 프리미엄|김치프리미엄|김프|프리미엄|преми*",
  "layer 2|layer-2|rollup*|레이어2|롤업|роллап*|второго уровня",
  "bridge*|브릿지|브리지|мост*",
  "token*|토큰|токен*",
  "payment*|결제|платеж*|оплат*",
  // Economy.
  "inflation|cpi|consumer price*|물가|인플레이션|소비자물가|инфляц*",
  "rate|rates|interest|금리|기준금리|ставк*",
  "cut*|인하|снизит|смягчен*",
  "hike*|인상|повыш*",
  "fed|fomc|federal reserve|powell|연준|연방준비|фрс|пауэлл*",
  "central bank*|중앙은행|한국은행|한은|центробанк*|цб|банк россии",
  "unemploy*|job*|payroll*|jobless|labour market|labor market|employment|고용|실업|일자리|безработ*|занятост*",
  "gdp|국내총생산|성장률|ввп",
  "recession|침체|рецесс*",
  "dollar*|달러|доллар*",
  "won|krw|원화|вон|вона|воны",
  "exchange rate*|foreign exchange|환율|курс|курса|курсу|валют*",
  "ruble*|rouble*|루블|рубл*",
  "oil|crude|원유|유가|нефт*",
  "gold|금값|золот*",
  "tariff*|관세|пошлин*|тариф*",
  "earning*|quarter*|profit*|revenue*|실적|영업이익|매출|분기|прибыл*|выручк*|отчетност*|квартал*",
  "guidance|outlook|forecast*|expect*|estimate*|consensus|전망|예상|прогноз*|ожидан*",
  "dividend*|배당|дивиденд*",
  "downgrade*|하향|понизил*|понижен*",
  "analyst*|애널리스트|증권사|аналитик*",
  "stock*|share*|equit*|주식|증시|주가|акци*",
  "semiconductor*|chip*|반도체|чип*|полупровод*",
  "artificial intelligence|ai|인공지능|ии|искусственн*",
  "contract|수주|공급계약|контракт*",
  "korea*|seoul|한국|국내|서울|коре*",
  "russia*|moscow|러시아|росси*|москв*",
  "china|chinese|중국|кита*",
  "usa|america*|미국|сша|америк*"
]

interface Form {
  readonly concept: string
  readonly words: ReadonlyArray<{ readonly text: string; readonly stem: string }>
  readonly open: boolean
}

const isKorean = (text: string): boolean => /^\p{Script=Hangul}/u.test(text)
const bucketOf = (text: string): string => text.slice(0, isKorean(text) ? 1 : 2)

const forms = new Map<string, Array<Form>>()
for (const [i, line] of table.entries()) {
  for (const name of line.split("|")) {
    const words = splitWords(foldText(name)).map(({ stem, text }) => ({ text, stem }))
    const key = bucketOf(words[0]!.text)
    const known = forms.get(key) ?? []
    forms.set(key, known)
    known.push({ concept: `#${i}`, words, open: name.endsWith("*") })
  }
}

/** Returns whether a word is a number such as "billion", whose stem is the word "bill". */
const isNumber = ({ text }: Word): boolean => /^(?:b|m|tr)illions?$/u.test(text)

const isWord = (word: Word, form: Form["words"][number], open: boolean): boolean =>
  open ? word.text.startsWith(form.text) : word.text === form.text || (word.stem === form.stem && !isNumber(word))

interface Named {
  readonly concept: string
  readonly at: number
  readonly count: number
}

const namesIn = (words: ReadonlyArray<Word>): ReadonlyArray<Named> => {
  const found: Array<Named> = []
  for (const [i, word] of words.entries()) {
    if (isKorean(word.text)) {
      for (let at = 0; at < word.text.length; at++) {
        for (const { concept, words: [first] } of forms.get(word.text[at]!) ?? []) {
          if (word.text.startsWith(first!.text, at) && (at === 0 || first!.text.length > 1)) {
            found.push({ concept, at: i, count: 1 })
          }
        }
      }
      continue
    }
    for (const form of forms.get(bucketOf(word.text)) ?? []) {
      const last = form.words.length - 1
      const named = form.words.every((part, k) => {
        const other = words[i + k]
        return other !== undefined && isWord(other, part, form.open && k === last)
      })
      if (named) found.push({ concept: form.concept, at: i, count: form.words.length })
    }
  }
  return found
}

/** Returns the concepts that a text names, with repetitions, in the order of the words. */
export const conceptsOf = (words: ReadonlyArray<Word>): ReadonlyArray<string> =>
  namesIn(words).map(({ concept }) => concept)

/** Returns, for each word of a text, the concepts that the word names, alone or with the words after it. */
export const conceptsByWord = (words: ReadonlyArray<Word>): ReadonlyArray<ReadonlyArray<string>> => {
  const concepts = words.map((): Array<string> => [])
  for (const { at, concept, count } of namesIn(words)) {
    for (let i = at; i < at + count; i++) concepts[i]!.push(concept)
  }
  return concepts
}
