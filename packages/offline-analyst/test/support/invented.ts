/** Invented names in English, Korean and Russian, each with subjects of news in the same language. */
const languages: ReadonlyArray<readonly [names: string, subjects: string]> = [
  [
    "Zorblax|Quixbar|Mirvolo",
    "hack|exploit|listing|lawsuit|ETF|earnings|upgrade|partnership|unlock|delisting|airdrop|staking|mining|outage|" +
    "exchange|buyback|price|rally|liquidations|regulation|stablecoin|dividend|bankruptcy|tax|burn|bitcoin ETF inflows|" +
    "bridge hack|wallet drained|token unlock|network upgrade|exchange hack|quarterly revenue"
  ],
  [
    "조르블락스|퀵스바|미르볼로|쿠룩",
    "해킹|공격|상장|소송|ETF|실적|업그레이드|파트너십|언락|상장폐지|에어드롭|스테이킹|채굴|장애|거래소|자사주|가격|급등|청산|규제|" +
    "스테이블코인|배당|파산|세금|소각"
  ],
  ["조르블락스|퀵스바|미르볼로", "브릿지 해킹|지갑 탈취|거래소 해킹|스테이블코인 규제"],
  [
    "Зорблакс|Квиксбар|Мирволо",
    "взлом|атака|листинг|иск|ETF|отчетность|обновление|партнерство|разблокировка|делистинг|эйрдроп|стейкинг|майнинг|" +
    "сбой|биржа|выкуп|цена|рост|ликвидации|регулирование|стейблкоин|дивиденды|банкротство|налог|сжигание|взлом моста|" +
    "кража кошельков|взлом биржи"
  ]
]

/** Questions about names that no article contains. A name is first or last, and also in lower case for one subject. */
export const inventedQuestions: ReadonlyArray<string> = languages.flatMap(([names, subjects]) =>
  names.split("|").flatMap((name) =>
    subjects.split("|").flatMap((subject) => {
      const question = `${name} ${subject}`
      return [question, `${subject} ${name}`, ...subject.includes(" ") ? [] : [question.toLowerCase()]]
    })
  )
)
