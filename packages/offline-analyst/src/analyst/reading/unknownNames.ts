const set = (...lines: ReadonlyArray<string>): ReadonlySet<string> => new Set(lines.join(" ").split(/\s+/))

const commodities =
  /^(?:gold|silver|(?:crude )?oil|crude|brent|wti|copper|platinum|palladium|gas|wheat|corn|coffee|sugar|euro|yen|pound|yuan|ruble|dollar|금|은|원유|유가|석유|구리|유로|엔|위안|золот[а-я]*|серебр[а-я]*|нефт[а-я]*|газ[ау]?|мед[ьи]|платин[а-я]*|евро|юан[а-я]*)$/u

/** Returns whether a name is a commodity, a currency or a coin without data. */
export const isCommodity = (name: string): boolean => commodities.test(name)

const measures = set(
  "price prices quote cost costs worth value trading chart graph funding rsi macd oi interest cap mcap marketcap volume",
  "liquidation liquidations map heatmap support supports resistance resistances level levels outlook forecast prediction trend analysis ta bullish",
  "bearish overbought oversold pumping dumping buy sell score volatility iv perp perps futures options earnings eps",
  "dividend shares stock news sentiment doing signal signals basis vwap holders supply much alert notify remind",
  "시세 가격 얼마 얼만 얼만가 얼마야 현재가 차트 펀딩 펀딩비 펀비 전망 분석 시황 추세 지지선 저항선 지지 저항 거래량 시총 시가총액 미결제약정",
  "implied realised realized historical skew pain gamma gex delta exposure flip put call puts calls ratio taker takers",
  "contango backwardation curve term structure smile expiry strike ema sma ma bollinger bands atr adx pivot pivots moving",
  "crossover divergence strength relative rank percentile beta sharpe correlation drawdown backtest strategy accuracy",
  "probability odds chance chances risk reward size leverage liquidity depth spread book orderbook order slippage bid ask",
  "inflow inflows outflow outflows netflow flow flows transfers concentration unlocks tokenomics fdv tvl pools fees",
  "hashrate circulating mentions buzz authenticity social seasonality setup reversal coil squeeze positioning bias regime",
  "내재 내재변동성 실현변동성 스큐 맥스페인 감마 옵션 만기 베이시스 호가 호가창 상관관계 상관 확률 적중률 백테스트 이평선 이동평균",
  "볼린저 밴드 다이버전스 계절성 소셜 온체인 보유자 유통량 언락 리스크 레버리지 청산가 청산맵 롱숏 비율 점수 스코어 시그널",
  "모멘텀 심리 수급 배당 목표주가 내부자 공시 컨센서스 고점 저점 고가 저가",
  "주가 어때 어떄 어떰 뉴스 변동성 실적 지표 청산 알림 넘으면 오르면 내리면 떨어지면 도달하면 되면 가면"
)

/** Words for figures, by which misspelt words are corrected. */
export const measureWords: ReadonlyArray<string> = [...measures]

/** Matches the beginnings of Russian words for figures of an instrument. */
const russianMeasures =
  /^(?:цен|курс|стои[тл]|стоимост|сколько|почем|график|фандинг|прогноз|уров|поддержк|сопротивлен|капитализац|объем|тренд|анализ|новост|отчет|котировк|волатильност|подразумев|реализов|скос|скью|гамм|опцион|экспирац|базис|фьючерс|стакан|корреляц|вероятност|шанс|точност|бэктест|скользящ|боллиндж|диверген|сезонн|соцсет|ончейн|держател|холдер|эмисси|риск|плеч|балл|скор|сигнал|импульс|настроен|открыт(?:ый|ого|ому|ым|ом)$|интерес[а-я]*$|приток|отток|максимум|минимум|ликвидац|сообщи|уведоми|предупреди|алерт|дела$|rsi$|macd$)/u

const fillers = set(
  "vs versus against compare compared wen 거기 거기에 몇퍼 몇프로 add switch change remove make set put include without hi hey hello please pls thanks and so ok okay now then also just what what's whats which how how's hows when where why who",
  "is are was were be been do does did will would should can could may the a an this that these those it its i me my we you",
  "your of for on in at to from with by about over into like look looks looking going go up down high higher low lower",
  "show give get check tell draw plot make see want need know think say current currently latest live recent today today's",
  "todays tonight tomorrow yesterday week weekly month monthly year day daily hour hourly minute minutes hours days weeks",
  "next last past right long short spot index mark real time realtime average total key main major good bad better best",
  "rate rates open close closing opening range support good strong weak right usd dollars dollar exactly per coin token",
  "else others another instead overall general summary details longer term both them they he she you",
  "ticker instrument target entry stop break breakout momentum reading number info data update status rn atm if once goes",
  "above below under over reaches hits drops falls rises crosses breaks dip stretched anywhere somewhere liquidated",
  "latest headlines breaking important whole explain define meaning mean stand",
  "뭔데 뭔가 뭐임 뭐냐 뭐지 뭔지 뭘까 무엇 이게 그게 설명 설명해줘 쉽게 무슨 뜻 뜻이 의미 노출 최신 속보 주요 중요한 이상 이하 위로 아래로 밑으로",
  "지금 현재 오늘 내일 어제 이번 다음 지난 요즘 최근 실시간 좀 그럼 그리고 그러면 근데 혹시 알려 알려줘 알려주세요 보여줘 보여주세요 해줘",
  "해주세요 말해줘 궁금해 궁금합니다 뭐 뭐야 몇 달러 원 대해 대한 일봉 주봉 월봉 분봉 시간봉 그려줘 그려주세요 띄워줘 코인 종목 하루 한",
  "하나 개 개당 주 달 년 시간 분 오를까 내릴까 살까 팔까 있어 있나요 좋아 괜찮아 봐줘 확인 확인해줘 계속 더 왜 어떻게 될까 돼 되나",
  "이유 결론 근거 원인 요약 나머지 반대 단기 장기 중기 최악 최선 시나리오 대안 전략 방향 결과 조건 당신 너 본인 다른 다른거 다른것 주말 월말 연말",
  "예상 적정 단가 종가 시가 목표 진입 손절 매수 매도 평균 최고 최저 롱 숏 선물 현물 그 이 저 그거 이거 그것 이것 얘 걔 상황 가능 언제 어디 제일 가장"
)
const russianFillers =
  /^(?:если|теперь|тогда|добав[а-я]*|поменяй|измени|сделай|нужн[а-я]*|можно|надо|него|нее|них|и|а|но|же|ли|бы|в|во|на|по|у|о|об|с|со|к|за|от|до|из|для|про|при|не|то|там|тут|вот|ну|что|чт[оё]|как(?:ая|ой|ие|ое|ую|ов|ова)?|где|когда|почему|кто|мне|меня|мой|моя|ты|вы|я|мы|он|она|оно|они|его|ее|их|этот|эт[ао]|эти|этой|этого|тот|сейчас|щас|сегодня|завтра|вчера|недел[а-я]*|месяц[а-я]*|год[а-я]*|день|дня|дней|час[а-я]*|минут[а-я]*|сутк[а-я]*|привет|пожалуйста|плиз|спасибо|скажи(?:те)?|покажи(?:те)?|дай(?:те)?|расскажи|нарисуй|построй|посмотри|подскажи|узнать|хочу|будет|буду|был[аои]?|есть|быть|идет|пойдет|раст[а-я]*|рост[а-я]*|падени[а-я]*|коррекци[а-я]*|отскок[а-я]*|пробо[а-я]*|вырастет|пада[а-я]*|упадет|вверх|вниз|выше|ниже|ближайш[а-я]*|текущ[а-я]*|последн[а-я]*|один|одна|одну|одного|доллар[а-я]*|руб[а-я]*|монет[а-я]*|тикер[а-я]*|инструмент[а-я]*|покупать|купить|продавать|продать|держать|лонг[а-я]*|шорт[а-я]*|цель|цели|вход[а-я]*|стоп[а-я]*|открыт[а-я]*|закрыти[а-я]*|сильн[а-я]*|слаб[а-я]*|лучше|хуже|онлайн|такое|такой|значит|объясни|причин[а-яы]*|итог[а-я]*|вывод[а-я]*|кратко[а-я]*|долгосроч[а-я]*|краткосроч[а-я]*|среднесроч[а-я]*|вообще|конкретно|подробн[а-я]*|дальше|потом|вечером|утром|ночью|выходны[а-я]*|остальн[а-я]*|друг[а-я]*|наоборот|сценари[а-я]*|стратеги[а-я]*|зачем|обе|оба|тебя|вас)$/u

/** Matches subjects that are no instrument, such as the whole market, an index or a country. */
const wide =
  /^(?:markets?|crypto|cryptos|cryptocurrenc(?:y|ies)|coins|altcoins?|alts?|memecoins?|memes|stablecoins?|tokens|stocks|equities|equity|wall|street|nasdaq|ndx|s&p|s&p500|sp500|spx|dow|jones|russell|vix|dxy|kospi|kosdaq|korea|korean|us|usa|american|china|japan|uk|europe|european|fed|fomc|cpi|ppi|pce|nfp|gdp|jobs|inflation|macro|economic|calendar|treasury|treasuries|yields?|bonds?|dominance|kimchi|premium|fear|greed|etfs?|sectors?|whales?|exchanges?|upbit|bithumb|binance|bybit|okx|coinbase|kraken|deribit|bitget|kucoin|won|krw|usdkrw|watchlist|portfolio|positions?|trades?|journal|alerts|tasks?|account|everything|all|any|some|most|biggest|top|movers|gainers|losers|trending|시장|장|증시|코스피|코스닥|나스닥|다우|미국|국내|한국|해외|전체|알트|알트코인|밈코인|잡코인|코인들|가상자산|암호화폐|금리|국채|환율|달러인덱스|빅스|빅스지수|지수|공포|탐욕|도미넌스|김프|프리미엄|고래|경제|일정|포지션|알림|관심|목록|일지|내|거래소|업비트|빗썸|рын[а-я]+|крипт[а-я]+|альт[а-я]*|мем[а-я]*|стейбл[а-я]*|акци[йяи]|бирж[а-я]*|насдак[а-я]*|доу|коспи|вон[аеуы]?|воне|кореи|корейск[а-я]*|сша|америк[а-я]*|ставк[а-я]*|облигац[а-я]*|трежерис|инфляци[а-я]*|экономич[а-я]*|календар[а-я]*|доминац[а-я]*|кимчи|преми[а-я]*|страх[а-я]*|жадност[а-я]*|кит[ыов]+|мои|моих|все|всех|всего|общ[а-я]*|портфел[а-я]*|журнал[а-я]*)$/u

const koreanParticle =
  /(?<=[가-힣a-z0-9])(?:이라는|라는|이란|이랑|랑|와|과|하고|에서|에게|까지|부터|보다|처럼|인가요|인가|이에요|예요|에요|이야|입니까|나요|은|는|이|가|을|를|의|에|도|만|로|으로|요|야|임|죠|지)$/u
const koreanMeasureEnd =
  /(?<=[가-힣a-z0-9])(?:시세|가격|얼마|현재가|차트|펀딩비|펀비|전망|시황|주가|지지선|저항선|거래량|시총)$/u

/** Matches words for prices and charts, which often stand next to an instrument's name. */
const priced =
  /^(?:prices?|quote|costs?|worth|much|chart|시세|가격|얼마.*|현재가|주가|차트|цен.*|курс.*|сто(?:и[тл].*|ят)|сколько|почем|график.*)$/u

type Kind = "measure" | "filler" | "wide" | "unknown"

const kindOf = (word: string): Kind => {
  if (/^[\d.,:%$+-]/.test(word)) return "filler"
  if (wide.test(word)) return "wide"
  if (measures.has(word) || russianMeasures.test(word)) return "measure"
  return fillers.has(word) || russianFillers.test(word) ? "filler" : "unknown"
}

/** Returns whether a word is not in the vocabulary of questions about instruments. */
export const isUnknown = (word: string): boolean => kindOf(word) === "unknown"

/** Returns whether a word has no meaning of its own in a question. */
export const isFiller = (word: string): boolean => kindOf(word) === "filler"

/** Returns whether a word names a figure, a market or a subject. */
export const isKnownWord = (word: string): boolean => kindOf(word) === "measure" || kindOf(word) === "wide"

/** Splits a Korean word into an unknown name and the figure written together with the name. */
const piecesOf = (word: string): ReadonlyArray<string> => {
  if (!/[가-힣]/u.test(word) || kindOf(word) !== "unknown") return [word]
  const bare = word.replace(koreanParticle, "")
  if (kindOf(bare) !== "unknown") return [bare]
  const name = bare.replace(koreanMeasureEnd, "")
  return name === bare ? [bare] : [name.replace(koreanParticle, ""), bare.slice(name.length)]
}

const mostWords = 12
const mostOfName = 3

const between = set("spot current live now 지금 현재 오늘 сейчас сегодня щас")
const articles = set("the a an one")
const leads = set("of is are what what's whats show me get give draw plot check and about in how's hows for")
const russianAdjective = /(?:ая|яя|ый|ий|ой|ое|ее|ые|ие|ую)$/u

/** Returns whether the word pieces `from` to `to` stand where price questions name their instrument. */
const isPlaced = (pieces: ReadonlyArray<string>, from: number, to: number): boolean => {
  const name = pieces[from] ?? ""
  const isBetween = (at: number) => between.has(pieces[at] ?? "")
  let after = to
  while (isBetween(after)) after += 1
  let before = from - 1
  while (isBetween(before) || articles.has(pieces[before] ?? "")) before -= 1
  const [last = "", next = ""] = [pieces[before], pieces[after]]
  const isLed = before < 0 || leads.has(last) || !/^[a-z]/.test(name)
  // "Gold price", "금 시세", "нефть почем".
  if (priced.test(next) && !/^(?:much|worth|costs?)$/.test(next)) return isLed && !russianAdjective.test(name)
  // "Price of gold", "how much is gold", "цена золота".
  const isOf = /^(?:of|for)$/.test(last) && pieces.slice(0, before).some((piece) => priced.test(piece))
  const isMuch = /^(?:is|are|does|for)$/.test(last) && pieces[before - 1] === "much"
  return isOf || isMuch || (/^[а-я]/u.test(last) && priced.test(last) && !/^сколько$/u.test(last))
}

/** Matches the ending of a Korean adjective before a figure: "급격한 변동성". */
const koreanAdjective = /(?:한|된|인|적|운|던|할|큰)$/u

const qualifiers = set(
  "negative positive extreme elevated predicted projected annualised annualized cumulative weighted historical historic",
  "aggregate aggregated combined net gross recent unusual abnormal normal typical expected forward hidden rising falling",
  "increasing decreasing broad overall spot-perp long-term short-term intraday technical fundamental market-wide quick",
  "full deep bigger smaller lower upper nearest biggest largest simple double triple hot cold low-volume your our their"
)

/** Returns whether a question asks for a figure of the word pieces `from` to `to`: "funding of kaspa", "카스파 펀딩비". */
const isMeasured = (pieces: ReadonlyArray<string>, from: number, to: number): boolean => {
  const isMeasure = (piece: string | undefined) => piece !== undefined && kindOf(piece) === "measure"
  const [name = "", lead = ""] = [pieces[from], pieces[from - 1]]
  // "Kaspa funding rate", "how is kaspa funding".
  if (/^[a-z]{3,}$/.test(name) && isMeasure(pieces[to]) && (from === 0 || leads.has(lead))) {
    return !qualifiers.has(name) && !/(?:ed|ing|ly|ive|al|ic|est)$/.test(name)
  }
  // "Фандинг каспы": the name is in the genitive and ends the question.
  if (/^[а-я]{3,}[аеиоуыьюя]$/u.test(name) && to === pieces.length && isMeasure(lead)) return true
  return (/^(?:of|for|about|on|у|по|про)$/.test(lead) && pieces.slice(0, from).some(isMeasure)) ||
    (from === 0 && /^[가-힣]{2,}$/u.test(name) && !koreanAdjective.test(name) && isMeasure(pieces[to]))
}

/**
 * An unknown name in a question. `isSure` means that the name stands where questions name their instrument.
 * `isMeasured` means that the name is next to a figure.
 */
export interface UnknownName {
  readonly name: string
  readonly isSure: boolean
  readonly isMeasured: boolean
}

export const piecesIn = (folded: string): ReadonlyArray<string> =>
  (folded.match(/[\p{L}\p{N}&'$.,:%+-]*[\p{L}\p{N}]/gu) ?? []).flatMap((word) =>
    piecesOf(word.replace(/^[$"'.,:]+|'s$/g, ""))
  )

const joiners = set("or vs versus plus as well 또는 아니면 или либо")
/** Matches follow-ups that consist of a name: "and for monero?", "모네로는?", "а по монеро?". */
const namesOnly = new RegExp(
  "^(?:(?:and|ok|okay|so|then|also|now|same|but) )*(?:(?:what|how) about|for|of|on|and)(?: the)? [a-z][a-z0-9]{1,14}\\??$|" +
    "^(?:(?:그럼|그러면|그리고) )?[가-힣]{2,8}(?:은|는)(?:요)?\\??$|" +
    "^(?:а|ну а|и) (?:(?:что|как) (?:с|там|насчет) |по |у )?[а-я]{4,14}\\??$",
  "u"
)

/** Returns the unknown names of a follow-up that names no figure; `isSure` means that the follow-up is only a name. */
export const followedNamesIn = (folded: string): ReadonlyArray<UnknownName> => {
  const pieces = piecesIn(folded)
  const kinds = pieces.map((piece) => joiners.has(piece) ? "filler" : kindOf(piece))
  if (pieces.length > mostWords || kinds.some((kind) => kind === "measure" || kind === "wide")) return []
  const runs = pieces.map((piece, i) => kinds[i] === "unknown" ? piece : "|").join(" ").split("|").map((run) =>
    run.trim()
  )
  const isSure = namesOnly.test(folded)
  return runs.filter((run) => run !== "").map((name) => ({ name, isSure, isMeasured: false }))
}

/** Returns the only unknown name of a short question, such as `gold` in "how much is gold today", or null. */
export const unknownNameIn = (folded: string): UnknownName | null => {
  const pieces = piecesIn(folded)
  const kinds = pieces.map(kindOf)
  const from = kinds.indexOf("unknown")
  const to = kinds.lastIndexOf("unknown") + 1
  const isWhole = from >= 0 && to - from <= mostOfName && kinds.slice(from, to).every((kind) => kind === "unknown")
  if (!isWhole || pieces.length > mostWords || kinds.includes("wide") || !kinds.includes("measure")) return null
  const isPriced = pieces.some((piece) => priced.test(piece))
  if (!isPriced && to - from > 1) return null
  const isAlone = pieces.length === 2 && from === 0 && /^[a-z]/.test(pieces[0] ?? "")
  const isSure = isAlone || isPlaced(pieces, from, to)
  return { name: pieces.slice(from, to).join(" "), isSure, isMeasured: !isSure && isMeasured(pieces, from, to) }
}
