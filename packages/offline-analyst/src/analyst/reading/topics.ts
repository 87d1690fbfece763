import { isNoCoin } from "./coinNames.ts"

const english =
  "halving|halvings|mining|miners?|staking|scalping|swing|hedging|hodl|hodling|beginners?|newbies?|experts?|traders?|investors?|" +
  "retail|institutions?|companies|banks?|governments?|regulations?|regulators?|taxes|tax|laws?|legal|adoption|halvening|forks?|" +
  "upgrades?|security|hacks?|scams?|wallets?|nodes?|privacy|energy|bubbles?|cycles?|winter|spring|summer|autumn|fall|christmas|" +
  "mon|tues?|wed|thurs?|thu|fri|sat|sun|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?|weekdays?|weeks?|months?|years?|" +
  "quarters?|january|february|march|april|may|june|july|august|september|october|november|december|hours?|minutes?|days?|" +
  "mornings?|afternoons?|evenings?|nights?|tonight|noon|midnight|later|earlier|soon|recently|lately|before|after|past|future|" +
  "history|asia|africa|india|russia|turkey|germany|france|london|trump|powell|musk|saylor|satoshi|election|elections|war|" +
  "recession|bank|pension|retirement|kids|me|us|everyone|nothing|something|anything|people|friends?|fun|real|sure|example|" +
  "reasons?|causes?|effects?|impact|consequences|alternatives?|strategy|strategies|tactics|plans?|goals?|profits?|losses|loss|" +
  "money|cash|capital|margin|shorting|longing|buying|selling|holding|waiting|timing|entries|exits?|tops?|bottoms?|peaks?|" +
  "rally|rallies|crash|crashes|dumps?|pumps?|corrections?|pullbacks?|retests?|reversals?|candles?|patterns?|" +
  "averages?|divergences?|sessions?|holidays?|events?|meetings?|speech|minutes|speed|scalability|decentrali[sz]ation|" +
  "airdrops?|listings?|delistings?|layer2|rwa|difficulty|burns?|burning|tariffs?|dividends?|buybacks?|splits?|arbitrage|spreads?|" +
  "consolidation|accumulation|distribution|capitulation|retracements?|wyckoff|elliott|ichimoku|copytrading|custody|metamask|" +
  "tradingview|coinglass|ukraine|blackrock|grayscale|fidelity|vanguard|gensler|atkins|thanksgiving|easter|asian|overnight|" +
  "premarket|aftermarket|longs|shorts|liquidations?|perpetuals|futures|leverage|fibonacci|regulatory"
const korean =
  "위험|리스크|생각|의견|오전|오후|아침|저녁|새벽|밤|반감기|채굴|채굴자|스테이킹|해킹|규제|세금|법|정부|은행|기관|개인|투자자|초보|" +
  "초보자|고수|사람들|친구|가족|바이낸스|바이비트|코인베이스|비트겟|[월화수목금토일]요일|주말|평일|올해|작년|내년|재작년|올여름|여름|겨울|봄|가을|" +
  "상반기|하반기|분기|연초|연말|월초|월말|과거|미래|역사|장기|단기|중기|대선|전쟁|트럼프|파월|머스크|일본|중국|유럽|러시아|인도|홍콩|" +
  "장점|단점|문제|문제점|이유|원인|효과|영향|결과|대책|방법|계획|목표|수익|손실|수수료|수익률|자금|현금|마진|진입|청산|익절|손절|" +
  "매수|매도|매수세|매도세|타이밍|저점|고점|바닥|천장|반등|조정|하락|상승|폭락|폭등|급락|급등|횡보|돌파|이탈|패턴|캔들|세션|휴일|이벤트|회의|" +
  "하락장|상승장|불장|지갑|보안|에너지|버블|사이클|도입|채택|나머지|그다음|이후|이전|나중|방금|요즘|최근|확률|가능성|근거|예시|이름|의미|" +
  "에어드[랍롭]|락업|락업해제|상장|상폐|상장폐지|디파이|가스비|해시레이트|난이도|공급|공급량|소각|인플레이션|관세|고용|자사주|액면분할|공모주|차익거래|박스권|" +
  "물량|매집|세력|개미|낙폭|물타기|불타기|존버|손절가|익절가|목표가|평단|평단가|과세|코인원|외국인|블랙록|그레이스케일|눌림목|일목균형표|엘리어트|와이코프|" +
  "명절|추석|설날|아시아장|런던장|뉴욕장|프리마켓|애프터마켓|밤사이|간밤|고배|저배|풀매수|곰장|원화"
const russian =
  "халвинг|майнинг|майнер|стейкинг|скальп|хедж|смысл|риск|пятниц|понедельник|вторник|сред[ауые]|четверг|суббот|воскресень|выходн|будн|" +
  "бинанс|байбит|коинбейс|бирж|новичк|новичок|начинающ|эксперт|трейдер|инвестор|институционал|компани|банк|государств|регул|налог|закон|" +
  "взлом|хак|кошел|безопасност|энерги|пузыр|цикл|зим|весн|лет[оа]|осен|январ|феврал|март|апрел|ма[йея]$|июн|июл|август|сентябр|октябр|" +
  "ноябр|декабр|год|месяц|недел|квартал|утр|вечер|ноч|полдень|полночь|позже|раньше|скоро|недавно|прошл|будущ|истори|китай|китае|росси|" +
  "европ|япони|инди|трамп|пауэлл|маск|выбор|войн|рецесси|пенси|люд|друз|реальн|пример|причин|эффект|влияни|последстви|альтернатив|" +
  "стратеги|тактик|план|прибыл|убыт|деньг|денег|наличн|капитал|марж|покупк|продаж|удержани|ожидани|вершин|дно|дна|пик|ралли|обвал|" +
  "памп|дамп|коррекц|откат|ретест|разворот|свеч|паттерн|средн|сесси|праздник|событи|заседани|мнени|потом|дальше|точк"

const topics = new RegExp(`^(?:(?:${english})|(?:${korean})|(?:${russian})[а-я]*)$`, "u")

/** Returns whether a word names a topic, a time or a place, and no instrument. */
export const isTopic = (word: string): boolean => topics.test(word) || isNoCoin(word.toUpperCase())
