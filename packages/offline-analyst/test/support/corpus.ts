import type { Article } from "@tapeline/core/market"

type Row = readonly [id: string, coin: string | null, title: string, body: string]

const english: ReadonlyArray<Row> = [
  [
    "etf-in",
    "BTC",
    "Spot bitcoin ETFs draw $620 million in a day",
    "Inflows into spot funds were the largest since spring. Two issuers took most of the money, and custodians bought coins at the close."
  ],
  [
    "etf-out",
    "ETH",
    "Ether funds bleed for a sixth session",
    "Investors pulled $140 million from ether ETFs. Outflows have lasted since the options expiry."
  ],
  [
    "bridge",
    null,
    "Cross-chain bridge drained of $48 million",
    "An attacker exploited a signature check and stole wrapped tokens. The team paused the contracts and offered a bounty."
  ],
  [
    "sec",
    "XRP",
    "SEC drops its appeal in the Ripple case",
    "The regulator told the court that it will not go on with the lawsuit. Lawyers called it the end of a four-year fight."
  ],
  [
    "mica",
    null,
    "Europe's new rules for stablecoin issuers take effect",
    "Issuers must keep reserves with banks and publish them monthly. Regulators may cap payments in foreign tokens."
  ],
  [
    "fed",
    null,
    "Fed holds rates and signals one cut this year",
    "Powell said that inflation is still above target. Traders moved the first interest rate cut to September."
  ],
  [
    "cpi",
    null,
    "US consumer prices rise 0.4%, above forecast",
    "The CPI report showed shelter and fuel driving inflation. Treasury yields jumped after the release."
  ],
  [
    "liq",
    "BTC",
    "Longs worth $900 million liquidated in an hour",
    "A cascade of forced selling hit leveraged traders as bitcoin slid below support. Funding turned negative."
  ],
  [
    "mining",
    "BTC",
    "Miners switch off old machines as difficulty climbs",
    "Hashrate fell for the first time in months. Electricity costs outweigh the reward after the halving."
  ],
  [
    "outage",
    "SOL",
    "Solana halts for five hours after a validator bug",
    "Block production stopped and validators restarted the network with a patched client. It is the first outage of the year."
  ],
  [
    "dencun",
    "ETH",
    "Ethereum developers set a date for the next upgrade",
    "The hard fork doubles blob capacity and lowers fees of rollups. Clients must be updated by May."
  ],
  [
    "doge",
    "DOGE",
    "Dogecoin jumps 18% after a billionaire's post",
    "The meme coin led gains among large tokens. Volume on Korean exchanges tripled."
  ],
  [
    "treasury",
    "BTC",
    "Software company buys another 3,000 bitcoin",
    "The purchase was paid for with convertible notes. Its treasury now holds over one percent of supply."
  ],
  [
    "ftx",
    null,
    "Bankrupt exchange begins to repay its creditors",
    "Small claims come first, in cash. The estate sold its venture stakes during the year."
  ],
  [
    "nvda",
    null,
    "Chip maker beats estimates on demand for AI",
    "Quarterly revenue rose 60% as data centres ordered accelerators. Guidance was above expectations."
  ],
  [
    "gold",
    null,
    "Gold sets a record as the dollar weakens",
    "Bullion rose for a fifth week. Central banks kept buying."
  ],
  [
    "oil",
    null,
    "Crude slips as producers plan to raise output",
    "Brent fell 2%. Traders expect supply to grow faster than demand."
  ],
  [
    "airdrop",
    "ARB",
    "Layer-2 network announces a second airdrop",
    "Wallets that used Arbitrum before March can claim tokens. Half of them unlock in a year."
  ],
  [
    "tax",
    null,
    "Tax office clarifies how staking rewards are taxed",
    "Rewards count as income when they are received. Losses can be carried forward."
  ],
  [
    "jobs",
    null,
    "Payrolls miss as hiring slows",
    "Employers added 90,000 jobs and unemployment ticked up. Bets on easing grew."
  ],
  [
    "tsla",
    null,
    "Tesla falls short of estimates: 2026Q3 profit $2.36 a share",
    "Tesla reported 2026Q3 earnings of $2.36 a share, 9.1% below the $2.60 that analysts had forecast. The shares react in the next session."
  ],
  [
    "quantum",
    null,
    "Quantum computers and signatures: how long is left?",
    "Cryptographers discussed signatures that quantum machines cannot break. The threat is years away by most estimates."
  ],
  [
    "wells",
    "BTC",
    "How bitcoin miners cut electricity bills",
    "Companies that run mining hardware are renegotiating tariffs. Stranded gas at oil wells features in several pilot projects."
  ],
  [
    "tron",
    "TRX",
    "Merchants drop TRON payments: a field report",
    "Korean shops that accept it convert at once. Transfers arrive in seconds, but exchange rates eat part of the gain."
  ],
  [
    "close",
    "BTC",
    "Crypto close: bitcoin gains 0.9%, 28 of 37 coins higher",
    "Bitcoin rose 0.9% over the day to $91,020, and ether fell 0.4%. The strongest was Sui at 6.1%, while Cardano brought up the rear."
  ]
]

const korean: ReadonlyArray<Row> = [
  [
    "ko-hack",
    null,
    "국내 거래소 해킹, 450억원 규모 코인 유출",
    "해커가 핫월렛 개인키를 탈취한 것으로 보인다. 거래소는 입출금을 중단하고 전액 보상하겠다고 밝혔다."
  ],
  [
    "ko-rate",
    null,
    "한국은행, 기준금리 0.25%p 인하",
    "금융통화위원회는 경기 둔화를 이유로 금리를 내렸다. 총재는 물가가 안정됐다고 말했다."
  ],
  [
    "ko-kimchi",
    "BTC",
    "김치 프리미엄 5% 돌파… 국내 비트코인 과열",
    "업비트와 해외 거래소의 가격 차이가 커졌다. 원화 약세도 영향을 줬다는 분석이다."
  ],
  [
    "ko-tax",
    null,
    "가상자산 과세 2년 유예안 국회 통과",
    "여야가 세금 도입 시기를 미루기로 합의했다. 공제 한도는 추후 논의한다."
  ],
  [
    "ko-samsung",
    null,
    "삼성전자 3분기 영업이익 10조원 넘어",
    "메모리 반도체 가격이 올라 실적이 시장 전망을 웃돌았다. 배당도 늘리기로 했다."
  ],
  [
    "ko-foreign",
    null,
    "외국인, 코스피 8거래일 연속 순매도",
    "외국인 투자자는 반도체주를 집중적으로 팔았다. 개인이 물량을 받았다."
  ],
  [
    "ko-xrp",
    "XRP",
    "리플 급등, 현물 ETF 승인 기대",
    "리플 가격이 하루 만에 14% 상승했다. 미국 증권거래위원회의 결정이 임박했다는 보도가 나왔다."
  ],
  [
    "ko-delist",
    null,
    "업비트, 소규모 알트코인 3종 거래지원 종료",
    "유의종목 지정 사유가 해소되지 않았다. 출금은 한 달간 가능하다."
  ],
  [
    "ko-rule",
    null,
    "금융위, 스테이블코인 규제 초안 공개",
    "발행사는 준비금을 은행에 예치해야 한다. 업계 의견을 수렴한 뒤 법안을 낸다."
  ],
  [
    "ko-drop",
    "ETH",
    "이더리움 9% 폭락, 레버리지 청산 쏟아져",
    "선물 시장에서 롱 포지션이 대거 청산됐다. 지지선이 무너지며 하락 폭이 커졌다."
  ],
  [
    "ko-won",
    null,
    "원·달러 환율 1,400원대로 올라",
    "달러 강세가 이어지며 원화가 약세를 보였다. 당국은 구두 개입에 나섰다."
  ],
  [
    "ko-mining",
    "BTC",
    "채굴업체, 전기요금 부담에 해외 이전",
    "반감기 이후 수익성이 나빠졌다. 중앙아시아로 장비를 옮기는 회사가 늘고 있다."
  ],
  [
    "ko-upgrade",
    "SOL",
    "솔라나, 새 클라이언트로 업그레이드",
    "처리 속도가 크게 빨라질 전망이다. 검증인들은 다음 달까지 교체해야 한다."
  ],
  [
    "ko-whale",
    "BTC",
    "고래, 비트코인 1만 개 거래소로 이동",
    "10년 만에 움직인 지갑이다. 매도 물량이 나올 수 있다는 우려가 있다."
  ],
  [
    "ko-dividend",
    null,
    "에쓰오일, 현금ㆍ현물배당결정 공시",
    "에쓰오일(S-Oil, 010950)이(가) '현금ㆍ현물배당결정'을 공시했다. 이사회 결의에 따른 것으로, 일정은 변경될 수 있다."
  ],
  [
    "ko-cpi",
    null,
    "한국 소비자물가 2.8%… 예상 부합",
    "국내 물가 상승률은 지난달과 같았다. 시장은 한국은행의 다음 회의를 기다린다."
  ]
]

const russian: ReadonlyArray<Row> = [
  [
    "ru-cb",
    null,
    "Банк России сохранил ключевую ставку",
    "Регулятор считает, что инфляция замедляется недостаточно. Следующее заседание пройдет в декабре."
  ],
  [
    "ru-hack",
    null,
    "Хакеры взломали биржу и вывели токены на $30 млн",
    "Злоумышленники получили доступ к горячему кошельку. Вывод средств приостановлен."
  ],
  [
    "ru-mining",
    "BTC",
    "В регионах вводят запрет на майнинг",
    "Ограничения связаны с нехваткой электроэнергии зимой. Майнеры перевозят оборудование."
  ],
  [
    "ru-law",
    null,
    "Госдума приняла закон о цифровых валютах",
    "Законопроект разрешает расчеты криптовалютой во внешней торговле. Рекламу ограничат."
  ],
  [
    "ru-drop",
    "BTC",
    "Биткоин рухнул ниже поддержки",
    "Падение ускорили ликвидации длинных позиций. Трейдеры ждут отскока."
  ],
  [
    "ru-ruble",
    null,
    "Рубль укрепился к доллару на фоне роста нефти",
    "Экспортеры продали валюту перед налогами. Баррель подорожал на 3%."
  ],
  [
    "ru-etf",
    "ETH",
    "Приток в эфирные фонды стал рекордным",
    "За неделю инвесторы вложили в ETF на эфир более миллиарда долларов."
  ],
  [
    "ru-sol",
    "SOL",
    "Сеть Solana остановилась на несколько часов",
    "Сбой вызвала ошибка в клиенте валидаторов. Блоки не производились."
  ],
  [
    "ru-gold",
    null,
    "Золото обновило исторический максимум",
    "Спрос поддержали центральные банки. Доллар слабеет пятую неделю."
  ],
  [
    "ru-ton",
    "TON",
    "Toncoin вырос на новости о платежах в мессенджере",
    "Кошелек подключат миллионам пользователей. Объем торгов удвоился."
  ]
]

const rows = [...english, ...korean, ...russian]
const hourMs = 3_600_000

export const corpus = (now: number): ReadonlyArray<Article> =>
  rows.map(([id, coin, title, body], i) => ({
    id,
    time: now - (rows.length - i) * hourMs,
    source: "A wire",
    url: `https://news.example/${id}`,
    title,
    body,
    language: id.startsWith("ko-") ? "ko" : id.startsWith("ru-") ? "ru" : "en",
    coins: coin === null ? [] : [coin],
    symbols: [],
    sentiment: null
  }))

/** The questions of the corpus, each with the articles of which one should come first. */
export const questions: ReadonlyArray<readonly [query: string, ...expected: ReadonlyArray<string>]> = [
  ["bitcoin ETF inflows", "etf-in"],
  ["money leaving ether funds", "etf-out"],
  ["who was hacked on a bridge", "bridge"],
  ["Ripple lawsuit over", "sec"],
  ["stablecoin regulation in Europe", "mica"],
  ["interest rate decision of the Fed", "fed"],
  ["inflation report hotter than expected", "cpi"],
  ["liquidations of leveraged longs", "liq"],
  ["hash rate and miners after the halving", "mining"],
  ["Solana network down", "outage"],
  ["ethereum fork lowers rollup fees", "dencun"],
  ["meme coin rally", "doge"],
  ["company adds BTC to its treasury", "treasury"],
  ["creditors of a bankrupt exchange are repaid", "ftx"],
  ["AI chip earnings", "nvda"],
  ["gold at all-time high", "gold", "ru-gold"],
  ["oil price drops", "oil"],
  ["arbitrum token claim", "airdrop"],
  ["taxation of staking", "tax"],
  ["weak labour market report unemployment", "jobs"],
  ["거래소 해킹 피해", "ko-hack"],
  ["한은 금리 인하", "ko-rate"],
  ["김프", "ko-kimchi"],
  ["코인 세금 언제부터", "ko-tax"],
  ["삼성전자 실적", "ko-samsung"],
  ["외국인 매도", "ko-foreign"],
  ["리플이 왜 올랐나", "ko-xrp"],
  ["상장폐지되는 코인", "ko-delist"],
  ["스테이블코인 규제", "ko-rule"],
  ["이더리움 급락 청산", "ko-drop"],
  ["달러 환율", "ko-won"],
  ["비트코인 채굴 전기요금", "ko-mining"],
  ["솔라나 업그레이드", "ko-upgrade"],
  ["고래가 움직인 비트코인", "ko-whale"],
  ["ключевая ставка ЦБ", "ru-cb"],
  ["взлом криптобиржи", "ru-hack"],
  ["запрет майнинга", "ru-mining"],
  ["закон о криптовалюте", "ru-law"],
  ["падение биткоина", "ru-drop"],
  ["курс рубля", "ru-ruble"],
  ["притоки в эфир ETF", "ru-etf"],
  ["сбой Солана", "ru-sol"],
  ["золото рекорд", "ru-gold"],
  ["почему растет тонкоин", "ru-ton"],
  // Questions in one language about articles in another.
  ["Bank of Korea cut", "ko-rate"],
  ["kimchi premium", "ko-kimchi"],
  ["foreign selling of Korean stocks", "ko-foreign"],
  ["Russia law on crypto", "ru-law"],
  ["взлом моста", "bridge"],
  ["биткоин ETF приток", "etf-in"],
  ["дефицит отскока: премия в Корее", "ko-kimchi"],
  ["미국 물가 상승", "cpi"],
  ["솔라나 중단 장애", "outage", "ru-sol"],
  ["국제 금값 신고가", "gold", "ru-gold"],
  ["루블 환율", "ru-ruble"],
  ["파산 거래소", "ftx"]
]
