import { text } from "../writing/text.ts"

export const next = [
  text(
    "How is {name}'s implied volatility?",
    "{name} 내재 변동성은 어떤가요?",
    "Какая подразумеваемая волатильность у {name}?"
  ),
  text(
    "Where are {name}'s support and resistance?",
    "{name} 지지선과 저항선은 어디인가요?",
    "Где у {name} поддержка и сопротивление?"
  ),
  text(
    "What is the probability that {name} is higher tomorrow?",
    "내일 {name} 상승 확률은 얼마인가요?",
    "Какова вероятность, что {name} завтра вырастет?"
  )
]
