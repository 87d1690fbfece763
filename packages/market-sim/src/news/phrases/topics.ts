/** Topics of feature stories, which do not depend on prices and mention no real event. */
import type { NewsLanguage } from "../story.ts"

interface Topic {
  readonly language: NewsLanguage
  /** The coins that a story can be about, or an empty list if the topic is the whole industry. */
  readonly coins: ReadonlyArray<string>
  readonly sentiment: number
  readonly titles: ReadonlyArray<string>
  readonly sentences: ReadonlyArray<string>
}

const layerOne = ["ETH", "SOL", "ADA", "AVAX", "SUI", "NEAR", "DOT", "APT", "SEI", "HBAR", "ATOM"]

export const topics: ReadonlyArray<Topic> = [
  {
    language: "en",
    coins: ["BTC"],
    sentiment: 0.05,
    titles: [
      "Miners [weigh|revisit] power contracts as [difficulty climbs|hash price wavers]",
      "How bitcoin miners [cut electricity bills|sell heat to greenhouses]"
    ],
    sentences: [
      "[Operators of mining farms|Companies that run mining hardware] are renegotiating electricity tariffs [before winter|as demand from data centres rises].",
      "[Older machines are being retired|Immersion cooling is spreading|Curtailment agreements pay miners to switch off at peaks].",
      "[Hash rate keeps reaching new ground|Difficulty adjusts every fortnight], which [squeezes the least efficient sites|leaves little room for error].",
      "[Hydropower surplus in remote valleys|Stranded gas at oil wells|Waste heat for district heating] features in [several pilot projects|new proposals]."
    ]
  },
  {
    language: "en",
    coins: ["ETH", "SOL", "ADA", "AVAX"],
    sentiment: 0.25,
    titles: ["{name} developers [agree on|schedule] the next upgrade", "Inside {name}'s [roadmap|upgrade plans]"],
    sentences: [
      "Core developers of {name} [settled the scope of|set a test network date for] the next protocol upgrade.",
      "[Validators will need new client software|The change is backward compatible for wallets], [according to the meeting notes|said a maintainer].",
      "[Lower fees for rollups|Faster finality|Leaner state storage] is the aim, [with audits under way|and benchmarks look promising].",
      "[Some contributors asked for more time.|Application teams welcomed the clarity.]"
    ]
  },
  {
    language: "en",
    coins: [],
    sentiment: -0.45,
    titles: [
      "Bridge exploit [drains|costs] a small protocol [of millions|its reserves]",
      "Attackers [abuse|exploit] [a price oracle|an approval bug] at a lending app"
    ],
    sentences: [
      "An attacker [exploited a flaw in|drained funds from] a cross-chain bridge, [security researchers|an auditing firm] said.",
      "[Stolen tokens were swapped within minutes|The team paused contracts] and [an on-chain message offered a bounty|investigators traced the wallets].",
      "[The bug sat in a signature check|A manipulated oracle let the thief borrow too much], [which an audit had missed|a known class of vulnerability].",
      "[Users are advised to revoke approvals.|Losses will be shared among liquidity providers.]"
    ]
  },
  {
    language: "en",
    coins: [],
    sentiment: -0.1,
    titles: [
      "Lawmakers [debate|amend] a bill on stablecoin reserves",
      "[What the draft stablecoin rules would change|Regulators seek comments on payment tokens]"
    ],
    sentences: [
      "Legislators [discussed|marked up] rules on how issuers of payment tokens must hold reserves.",
      "[Short-dated treasury bills and cash|Segregated bank accounts] would be [the only permitted assets|mandatory], with [monthly attestations|capital buffers].",
      "[Banks want a level field|Issuers warn of cost|Consumer groups ask for redemption rights], [according to testimony|in letters to the committee].",
      "[A vote is not expected soon.|Supervisors would have a year to write the details.]"
    ]
  },
  {
    language: "en",
    coins: ["UNI", "AAVE", "LDO", "JUP", "INJ"],
    sentiment: 0.1,
    titles: [
      "{name} community votes on [fee switch|treasury diversification]",
      "Governance: {name} [proposal passes quorum|delegates split]"
    ],
    sentences: [
      "Token holders of {name} are voting on whether to [route part of the fees to stakers|move idle treasury assets into bills].",
      "[Delegates with large voting power|A handful of funds] [support the plan|remain undecided], the forum shows.",
      "[Critics fear legal exposure|Opponents prefer buybacks|Some call it overdue], while [supporters point to sustainable revenue|backers cite peer protocols].",
      "[The ballot closes within days.|A second vote on parameters would follow.]"
    ]
  },
  {
    language: "en",
    coins: ["ARB", "OP", "STX", "IMX"],
    sentiment: 0.15,
    titles: [
      "Rollup costs [keep falling|drop again], {name} [usage|activity] in focus",
      "{name} and the economics of scaling"
    ],
    sentences: [
      "Second-layer networks such as {name} [process more transactions than their base chain|compete on fees measured in fractions of a cent].",
      "[Data availability is cheaper since the last upgrade|Sequencers earn less per transaction], so [volume matters more than price|incentives are being trimmed].",
      "[Shared sequencing|Fraud proofs|Validity proofs] [remain the technical frontier|are moving from research to production].",
      "[Users mostly notice that bridging is quicker.|Liquidity is scattered across too many networks, critics say.]"
    ]
  },
  {
    language: "en",
    coins: ["DOGE", "SHIB", "PEPE", "WIF"],
    sentiment: 0.1,
    titles: ["Meme season? {name} [fans|holders] [throw a party|fund a billboard]", "Why people still buy {name}"],
    sentences: [
      "Holders of {name} [organised a charity stream|paid for an advertisement in a city square|trended with a new joke].",
      "[Academics call it entertainment with a price|Traders treat it as a barometer of appetite], [and turnover follows attention|not as an investment case].",
      "[Imitators appear within hours|Copycat tokens borrow the name], [most of them worthless|and buyers are told to check addresses].",
      "[The community insists that the fun is the point.|Liquidity dries up as quickly as it comes.]"
    ]
  },
  {
    language: "en",
    coins: ["RENDER", "FET", "TAO", "NEAR"],
    sentiment: 0.2,
    titles: [
      "Decentralised compute: {name} [signs|courts] [studios|research labs]",
      "Can {name} [rent out|match] idle graphics cards?"
    ],
    sentences: [
      "Networks that pool graphics processors, {name} among them, [court small artificial-intelligence labs|offer rendering capacity to studios].",
      "[Prices undercut the large clouds|Utilisation remains uneven], [but latency and trust are open questions|according to a developer survey].",
      "[Machine-learning subnets|Autonomous agents that pay for data] [are the fashionable use|attract grants].",
      "[Revenue is still small against token value.|Benchmarks will decide, engineers say.]"
    ]
  },
  {
    language: "en",
    coins: [],
    sentiment: 0.2,
    titles: ["Banks [test|extend] tokenised deposits", "Tokenised treasury funds [draw|attract] corporate cash"],
    sentences: [
      "[A group of lenders|Two custodians] [settled a bond with tokenised deposits|moved fund shares on a shared ledger].",
      "[Settlement took minutes instead of two days|Collateral could be reused intraday], [the participants said|a report shows].",
      "[Real-world assets on public chains have grown steadily|Money-market tokens are used as margin], [though secondary trading is thin|mostly by institutions].",
      "[Accountants want clearer treatment.|Interoperability is the missing piece.]"
    ]
  },
  {
    language: "en",
    coins: ["XRP", "XLM", "TRX", "LTC"],
    sentiment: 0.2,
    titles: ["Remittance corridors [open|widen] for {name}", "Merchants [try|drop] {name} payments: a field report"],
    sentences: [
      "Money-transfer companies [route part of their flows over|pilot payouts with] {name} in [Southeast Asia|Latin America|East Africa].",
      "[Families save on fees|Transfers arrive in seconds], [yet cash-out points are rare|but exchange rates eat part of the gain].",
      "[Compliance costs decide which corridor works|Local licences take months], [executives said|according to an industry body].",
      "[Shops that accept it convert at once.|Volumes double at the end of the month.]"
    ]
  },
  {
    language: "en",
    coins: [],
    sentiment: -0.05,
    titles: ["Tax offices [sharpen|publish] guidance on digital assets", "Your staking income and the taxman"],
    sentences: [
      "Revenue authorities [published guidance on|clarified] how staking rewards and airdrops are taxed.",
      "[Exchanges will report balances|Cost basis must be tracked per wallet], [starting next year|under an international standard].",
      "[Advisers expect a rush for software|Small holders may fall under an allowance].",
      "[Losses can be carried forward in most places.|Penalties for omission rise.]"
    ]
  },
  {
    language: "en",
    coins: [],
    sentiment: -0.1,
    titles: [
      "Quantum computers and signatures: [how long is left?|a roadmap]",
      "Wallet makers [prepare|plan] for post-quantum keys"
    ],
    sentences: [
      "Cryptographers [discussed|presented] migration paths to signatures that quantum machines cannot break.",
      "[Old addresses with exposed keys are most at risk|Lattice schemes make transactions larger], [a paper argues|researchers said].",
      "[The threat is years away by most estimates|No machine today comes close], but [upgrades take as long|planning has begun].",
      "[Hardware wallets need new chips.|Committees are drafting standards.]"
    ]
  },
  {
    language: "en",
    coins: ["BTC", "ETH", "SOL"],
    sentiment: 0.2,
    titles: [
      "Fund flows: {name} products [see inflows|draw allocators]",
      "Advisers [add|consider] {name} funds for clients"
    ],
    sentences: [
      "Listed products that hold {name} [recorded net creations|saw steady interest] this week, [issuers' data show|a distributor said].",
      "[Pension consultants speak of one per cent allocations|Platforms widened access], [after long due diligence|with risk warnings].",
      "[Fees are down again|Options on the funds trade briskly|Market makers arbitrage small premiums].",
      "[Redemptions remain possible in kind for large holders.|Rebalancing at quarter's end may matter more.]"
    ]
  },
  {
    language: "en",
    coins: layerOne,
    sentiment: 0.15,
    titles: [
      "{name} [foundation|ecosystem] [grants|hackathon] [draw|back] [payments|gaming|identity] builders",
      "A week in the {name} ecosystem"
    ],
    sentences: [
      "The {name} ecosystem fund [announced grants for|invited] teams that build [wallet recovery|identity|on-chain games|analytics].",
      "[Hundreds of students took part in a hackathon|A regional hub opened], [with prizes in the native token|and a mentoring programme].",
      "[Developer counts are up|Documentation was the main complaint|Composability won most votes], [organisers said|a survey found].",
      "[Some projects will not survive their grant.|Usage will be the judge.]"
    ]
  },
  {
    language: "en",
    coins: ["LINK", "FIL"],
    sentiment: 0.2,
    titles: [
      "{name} [integrates with|feeds] [a settlement network|an archive project]",
      "Infrastructure tokens: what {name} is paid for"
    ],
    sentences: [
      "{name} was chosen to [deliver prices to|store records for] [a consortium of custodians|a public archive].",
      "[Nodes are paid per request|Storage deals run for years], [which gives revenue a base|in the native token].",
      "[Competition undercuts margins|Redundancy is the selling point], analysts of infrastructure said.",
      "[Outages have been rare.|Slashing keeps providers honest.]"
    ]
  },
  {
    language: "en",
    coins: [],
    sentiment: -0.3,
    titles: [
      "Exchange [fined|warned] over [client money|advertising]",
      "Supervisors [inspect|question] trading platforms' custody"
    ],
    sentences: [
      "A supervisor [fined a trading platform|opened proceedings] over [segregation of client assets|misleading promotions].",
      "[Controls on market manipulation were found weak|Records did not match balances for some days], [the notice says|according to the decision].",
      "[The firm accepted the findings|An appeal is possible], and [customers were not harmed|an independent review follows].",
      "[Proof-of-reserves reports are under discussion.|Licences now hinge on such audits.]"
    ]
  },
  {
    language: "en",
    coins: [],
    sentiment: 0,
    titles: [
      "Opinion: [leverage is the product|volatility is a feature]",
      "Letter to readers: [how we read funding rates|what open interest tells]"
    ],
    sentences: [
      "[Perpetual futures are the industry's best-selling product|Most volume is borrowed conviction], and [that shapes every chart|risk moves in crowds].",
      "[Funding tells who pays to wait|Open interest says how many are still in the room]; [neither says who is right|both lag].",
      "[A liquidation is somebody's stop placed by an exchange|Cascades end when sellers are gone], [not when news improves|which is why bottoms feel empty].",
      "[Size small and sleep.|The rest is commentary.]"
    ]
  },
  {
    language: "ko",
    coins: [],
    sentiment: -0.1,
    titles: ["가상자산 이용자 보호 [감독 강화|점검 확대]", "당국, 거래소 [이상거래 감시|수수료 체계] 들여다본다"],
    sentences: [
      "금융당국이 가상자산 거래소의 [이상거래 감시 체계|예치금 분리 보관]를 점검하고 있다.",
      "[상장 심사 기준 공개|내부자 거래 방지 규정]도 주요 항목이다. [업계는 비용 부담을 우려했다.|거래소들은 대응 조직을 늘리고 있다.]",
      "[해외 규제와의 조화가 과제로 꼽힌다.|전문가들은 투자자 교육이 먼저라고 말한다.]"
    ]
  },
  {
    language: "ko",
    coins: ["XRP", "DOGE", "BTC", "ETH", "SOL"],
    sentiment: 0.05,
    titles: ["{name} 국내 거래대금 [순위권|비중 확대], 김치프리미엄 [주목|점검]", "국내 투자자는 왜 {name}을(를) 찾나"],
    sentences: [
      "국내 원화 마켓에서 {name} 거래 비중이 [높게 유지되고 있다|화제가 되고 있다].",
      "[해외 시세와의 차이인 김치프리미엄은 환율과 자금 이동 규제의 영향을 받는다.|차익거래는 송금 한도와 시간 차이로 제한된다.]",
      "[투자자 연령대는 점차 높아지는 추세다.|야간 시간대 거래가 늘었다는 분석도 있다.]"
    ]
  },
  {
    language: "ko",
    coins: [],
    sentiment: 0.15,
    titles: ["은행권, 토큰증권 [인프라 구축|시범 사업] 속도", "원화 스테이블코인 [논의|제도화] 어디까지"],
    sentences: [
      "시중은행과 증권사가 토큰증권 [발행 플랫폼|장외 유통 시스템]을 준비 중이다.",
      "[원화 기반 스테이블코인의 발행 주체를 두고 의견이 엇갈린다.|준비자산과 상환 의무가 핵심 쟁점이다.]",
      "[법안 통과 시점이 변수다.|핀테크 기업과의 협업도 이어지고 있다.]"
    ]
  },
  {
    language: "ru",
    coins: ["BTC"],
    sentiment: 0.05,
    titles: ["Майнеры [считают тарифы|обновляют оборудование]", "Сколько стоит добыча биткоина [зимой|в регионах]"],
    sentences: [
      "Владельцы майнинговых ферм [пересматривают договоры на электроэнергию|меняют старые устройства на новые].",
      "[Сложность сети растёт|Доход с единицы мощности невысок], поэтому [выживают самые экономные|важна каждая копейка за киловатт].",
      "[Попутный газ и гидроэнергия остаются в моде.|Власти регионов обсуждают реестр майнеров.]"
    ]
  },
  {
    language: "ru",
    coins: [],
    sentiment: -0.1,
    titles: ["Регулятор [готовит|обсуждает] правила для цифровых активов", "Что изменится для [бирж|обменников]"],
    sentences: [
      "Регулятор предложил новые требования к [хранению средств клиентов|раскрытию информации].",
      "[Участники рынка просят переходный период|Юристы указывают на пробелы], [обсуждение продолжается|замечания принимают до конца месяца].",
      "[Налоговый учёт станет проще.|Лимиты для неквалифицированных инвесторов сохранятся.]"
    ]
  }
]
