import { text } from "../writing/text.ts"

/** The questions that answers suggest. */
export const questions = {
  positions: text("Show my open positions", "내 포지션을 보여 주세요", "Покажи мои позиции"),
  alerts: text("Show my alerts", "내 알림을 보여 주세요", "Покажи мои оповещения"),
  score: text("What moves {name}'s score?", "{name} 점수는 무엇 때문인가요?", "Из чего складывается балл {name}?"),
  hitRate: text("How good are the signals?", "시그널 적중률은 어떤가요?", "Насколько точны сигналы?"),
  backtest: text(
    "Backtest EMA 20/50 crossover on {name}",
    "{name} EMA 20/50 교차 전략을 백테스트해 주세요",
    "Сделай бэктест пересечения EMA 20/50 по {name}"
  ),
  funding: text("How is {name}'s funding?", "{name} 펀딩비는 어떤가요?", "Какой сейчас фандинг у {name}?"),
  impliedVolatility: text(
    "How is {name}'s implied volatility?",
    "{name} 내재 변동성은 어떤가요?",
    "Какая подразумеваемая волатильность у {name}?"
  ),
  openInterest: text(
    "How is {name}'s open interest moving?",
    "{name} 미결제약정은 어떻게 움직이나요?",
    "Как меняется открытый интерес {name}?"
  ),
  levels: text(
    "Where are {name}'s support and resistance?",
    "{name} 지지선과 저항선은 어디인가요?",
    "Где у {name} поддержка и сопротивление?"
  ),
  alertOnBreak: text(
    "Alert me when {name} breaks its resistance",
    "{name} 저항선 돌파하면 알려 주세요",
    "Сообщи, когда {name} пробьет сопротивление"
  ),
  outlookOfWeek: text(
    "What is the outlook for {name} this week?",
    "이번 주 {name} 전망은 어떤가요?",
    "Какой прогноз по {name} на эту неделю?"
  ),
  liquidationMap: text(
    "Where would liquidations of {name} cluster?",
    "{name} 청산이 몰린 가격대는 어디인가요?",
    "Где скопились ликвидации по {name}?"
  ),
  liquidations: text(
    "How many liquidations were there in {name}?",
    "{name} 청산 규모는 얼마나 되나요?",
    "Сколько ликвидаций было по {name}?"
  ),
  outlook: text(
    "What is the outlook for {name} today?",
    "오늘 {name} 전망은 어떤가요?",
    "Какой прогноз по {name} на сегодня?"
  ),
  outlookOfBitcoin: text(
    "What is the outlook for BTC today?",
    "오늘 비트코인 전망은 어떤가요?",
    "Какой прогноз по биткоину на сегодня?"
  ),
  journal: text("How is my trading journal?", "내 매매일지 통계는 어떤가요?", "Какая статистика в моем журнале?"),
  trades: text("Show my last trades", "내 최근 거래 내역을 보여 주세요", "Покажи мои последние сделки"),
  krMarket: text(
    "How is the Korean stock market today?",
    "오늘 국내 증시는 어떤가요?",
    "Как сегодня корейский рынок акций?"
  ),
  kimchi: text(
    "What is the kimchi premium of BTC?",
    "비트코인 김치 프리미엄은 얼마인가요?",
    "Какая кимчи-премия у BTC?"
  ),
  movers: text(
    "What moved most today?",
    "오늘 가장 많이 움직인 종목은 무엇인가요?",
    "Что сегодня двигалось сильнее всего?"
  ),
  trending: text(
    "What is trending on social media?",
    "요즘 소셜에서 뜨는 코인은 무엇인가요?",
    "Что сейчас обсуждают в соцсетях?"
  ),
  yields: text(
    "How steep is the US yield curve?",
    "미국 수익률 곡선은 어떤가요?",
    "Как выглядит кривая доходности США?"
  ),
  usMarket: text("How is the US stock market today?", "오늘 미국 증시는 어떤가요?", "Как сегодня рынок акций США?"),
  calendar: text(
    "What is on the economic calendar this week?",
    "이번 주 경제 일정은 무엇인가요?",
    "Что в экономическом календаре на этой неделе?"
  ),
  market: text("How is the crypto market today?", "오늘 코인 시장은 어떤가요?", "Как сегодня крипторынок?"),
  oversold: text("Which coins have RSI below 30?", "RSI가 30 아래인 코인은 무엇인가요?", "У каких монет RSI ниже 30?"),
  signals: text("Which signals are open now?", "지금 열려 있는 시그널은 무엇인가요?", "Какие сигналы сейчас открыты?"),
  social: text(
    "What is said about {name} on social media?",
    "{name} 소셜 반응은 어떤가요?",
    "Что пишут о {name} в соцсетях?"
  ),
  probability: text(
    "What is the probability that {name} is higher tomorrow?",
    "내일 {name} 상승 확률은 얼마인가요?",
    "Какова вероятность, что {name} завтра вырастет?"
  ),
  stablecoins: text(
    "How did the supply of stablecoins change?",
    "스테이블코인 공급은 어떻게 변했나요?",
    "Как изменилось предложение стейблкоинов?"
  )
}
