/**
 * A small lexicon of market talk, written for this package and free to use under its licence. Weights run from -3 to 3.
 * English and Russian entries are matched against the beginning of a word when they end in `*`, else against the whole word;
 * Korean entries anywhere in a word, since endings and particles are glued on.
 */
export type Language = "en" | "ko" | "ru"

export interface Lexicon {
  readonly words: Readonly<Record<string, number>>
  /** Turn the next word's sense round (in Korean also the one before: the negation follows its verb). */
  readonly negations: ReadonlyArray<string>
  /** Strengthen (above 1) or weaken (below 1) the next word. */
  readonly degrees: Readonly<Record<string, number>>
}

const english: Lexicon = {
  words: {
    "moon*": 2, "pump*": 1, "bull": 2, "bulls": 2, "bullish*": 2.5, "rall*": 2, "surge*": 2, "surging": 2, "soar*": 2.5, "skyrocket*": 3,
    "breakout*": 1.5, "gain*": 1.5, "profit*": 1.5, "win": 1.5, "wins": 1.5, "winning": 1.5, "won": 1, "rise": 1, "rises": 1, "rising": 1.5, "rose": 1,
    "climb*": 1, "jump*": 1.5, "recover*": 1.5, "rebound*": 1.5, "strong*": 1.5, "strength*": 1.5, "support*": 0.5, "accumulat*": 1, "buy": 1,
    "buying": 1, "long": 0.5, "upgrade*": 1.5, "outperform*": 2, "beat": 1.5, "beats": 1.5, "record": 1, "high": 0.5, "highs": 1, "approv*": 1.5, "adopt*": 1.5,
    "partnership*": 1, "launch*": 0.5, "growth": 1.5, "grow*": 1, "great": 2, "good": 1.5, "best": 2, "love": 2, "excellent": 2.5, "amazing": 2.5,
    "optimis*": 2, "confident": 1.5, "confidence": 1.5, "opportunit*": 1, "undervalued": 1.5, "cheap": 0.5, "inflow*": 1.5, "hodl*": 1, "gem": 1.5,
    "dump*": -2, "bear": -2, "bears": -2, "bearish*": -2.5, "crash*": -3, "plunge*": -2.5, "plung*": -2.5, "plummet*": -3, "collaps*": -3, "tumbl*": -2,
    "drop": -1.5, "drops": -1.5, "dropped": -1.5, "dropping": -1.5, "fall": -1, "falls": -1, "falling": -1.5, "fell": -1.5, "slump*": -2, "sink*": -1.5, "loss": -1.5, "losses": -1.5,
    "lose*": -1.5, "losing": -1.5, "lost": -1.5, "sell": -1, "selling": -1, "selloff": -2, "short": -0.5, "liquidat*": -2, "rekt": -3, "scam*": -3, "rug": -3,
    "rugpull*": -3, "rugged": -3, "fraud*": -3, "hack*": -2.5, "exploit*": -2, "stolen": -2.5, "steal*": -2.5, "bankrupt*": -3, "insolven*": -3, "lawsuit*": -2, "sue": -1.5, "sued": -2,
    "ban": -2, "banned": -2, "bans": -2, "delist*": -2, "reject*": -1.5, "warn*": -1.5, "fear*": -2, "panic*": -2.5, "risk*": -0.5, "weak*": -1.5, "downgrade*": -2, "miss": -1, "missed": -1,
    "overvalued": -1.5, "bubble": -1.5, "dead": -2, "worthless": -3, "bad": -1.5, "worst": -2.5, "worse": -2, "terrible": -2.5, "hate": -2, "pessimis*": -2,
    "outflow*": -1.5, "fud": -1.5, "ponzi*": -3, "recession*": -2, "default*": -2, "trouble*": -1.5, "problem*": -1
  },
  negations: ["not", "no", "never", "without", "isnt", "dont", "doesnt", "didnt", "wont", "cant", "arent", "wasnt", "hardly"],
  degrees: { very: 1.5, extremely: 2, really: 1.3, so: 1.2, huge: 1.5, massive: 1.7, massively: 1.7, strongly: 1.5, slightly: 0.5, somewhat: 0.6, little: 0.6, barely: 0.4 }
}

const korean: Lexicon = {
  words: {
    "급등": 2.5, "폭등": 3, "상승": 1.5, "떡상": 3, "불장": 2.5, "강세": 2, "호재": 2.5, "반등": 1.5, "돌파": 1.5, "신고가": 2, "최고가": 1.5, "수익": 1.5, "이익": 1.5, "익절": 1.5,
    "매수": 1, "대박": 2.5, "성공": 1.5, "회복": 1.5, "성장": 1.5, "기대": 1, "낙관": 2, "승인": 1.5, "유입": 1, "좋": 1.5, "최고": 2, "가즈아": 2.5, "오르": 1, "오른": 1, "올라": 1, "올랐": 1,
    "저평가": 1.5, "개선": 1, "호실적": 2, "흑자": 1.5, "순매수": 1.5,
    "급락": -2.5, "폭락": -3, "하락": -1.5, "떡락": -3, "약세": -2, "악재": -2.5, "손실": -1.5, "손절": -1.5, "매도": -1, "청산": -2, "물렸": -2, "망했": -2.5, "망한": -2.5, "사기": -3, "먹튀": -3, "해킹": -2.5,
    "파산": -3, "붕괴": -3, "공포": -2, "패닉": -2.5, "우려": -1.5, "위험": -1, "규제": -1, "소송": -2, "상장폐지": -3, "상폐": -3, "유출": -1, "거품": -1.5, "고평가": -1.5, "나쁘": -1.5, "나쁜": -1.5, "최악": -2.5,
    "떨어": -1.5, "내리": -1, "내렸": -1, "적자": -1.5, "순매도": -1.5, "비관": -2, "경고": -1.5, "침체": -2
  },
  negations: ["안", "못", "않", "아니", "없"],
  degrees: { "매우": 1.5, "아주": 1.5, "정말": 1.3, "너무": 1.3, "엄청": 1.7, "굉장히": 1.7, "조금": 0.5, "약간": 0.5, "다소": 0.6 }
}

const russian: Lexicon = {
  words: {
    "рост": 1.5, "роста": 1.5, "ростом": 1.5, "росту": 1.5, "росте": 1.5, "раст*": 1.5, "вырос*": 1.5, "вырас*": 1.5, "взлет*": 2.5, "взлёт*": 2.5, "подскоч*": 2, "ралли": 2, "бычий": 2, "бычь*": 2, "быки": 1.5, "памп*": 1, "туземун*": 2.5,
    "прибыл*": 1.5, "доход*": 1, "выигр*": 1.5, "восстанов*": 1.5, "отскок*": 1, "пробой": 1, "пробил*": 1, "рекорд*": 1.5, "максимум*": 1, "сильн*": 1, "покуп*": 1, "одобр*": 1.5, "оптимист*": 2, "оптимизм*": 2,
    "хорош*": 1.5, "отличн*": 2.5, "лучш*": 2, "успе*": 1.5, "приток*": 1.5, "надежд*": 1, "недооцен*": 1.5, "ракет*": 2,
    "паден*": -2, "пада*": -1.5, "упал*": -2, "упад*": -1.5, "обвал*": -3, "рухн*": -3, "крах*": -3, "обруш*": -3, "сниж*": -1.5, "снизи*": -1.5, "просад*": -1.5, "слив*": -2, "дамп*": -2, "медвеж*": -2, "медведи": -1.5,
    "убыт*": -1.5, "потер*": -1.5, "продаж*": -0.5, "продав*": -1, "ликвид*": -2, "скам*": -3, "мошенн*": -3, "обман*": -2.5, "взлом*": -2.5, "украл*": -2.5, "краж*": -2.5, "банкрот*": -3, "дефолт*": -2.5, "паник*": -2.5, "страх*": -2,
    "риск*": -0.5, "запрет*": -2, "запрещ*": -2, "иск": -1.5, "суд": -1, "делист*": -2, "предупре*": -1.5, "слаб*": -1.5, "плох*": -1.5, "худш*": -2.5, "ужас*": -2.5, "пузыр*": -1.5, "пирамид*": -2.5, "отток*": -1.5, "рецесс*": -2,
    "пессим*": -2, "проблем*": -1, "кризис*": -2
  },
  negations: ["не", "нет", "ни", "без", "никогда"],
  degrees: { "очень": 1.5, "крайне": 2, "сильно": 1.5, "резко": 1.5, "совсем": 1.3, "слегка": 0.5, "немного": 0.6, "чуть": 0.5 }
}

export const lexicons: Readonly<Record<Language, Lexicon>> = { en: english, ko: korean, ru: russian }

/** Signs that are read the same in every language. */
export const symbols: Readonly<Record<string, number>> = {
  "🚀": 2.5, "🌙": 1.5, "🌕": 1.5, "📈": 2, "💎": 1.5, "🔥": 1, "🟢": 1, "💰": 1, "🐂": 2, "✅": 1, "🎉": 1.5, "👍": 1.5,
  "📉": -2, "💀": -2, "🔴": -1, "😱": -2, "😭": -1.5, "🐻": -2, "👎": -1.5, "🤡": -1.5, "⚠": -1, "🩸": -2
}
