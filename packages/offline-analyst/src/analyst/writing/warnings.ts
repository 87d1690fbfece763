import type { Language } from "@tapeline/core/engine"

/** Translations of the English warnings of tools, where `$1` is the first group of the pattern. */
const known: ReadonlyArray<readonly [warning: RegExp, translations: Record<Exclude<Language, "en">, string>]> = [
  [
    /^Only (\d+) trades?: below (\d+) .*$/,
    {
      ko: "거래가 $1회뿐이라 승률과 비율은 대부분 우연입니다($2회 미만).",
      ru: "сделок всего $1 (меньше $2): доли и коэффициенты почти случайны."
    }
  ],
  [
    /^It never traded\.$/,
    {
      ko: "거래가 한 번도 없었습니다.",
      ru: "сделок не было ни одной."
    }
  ],
  [
    /^The window is (\d+) days.*$/,
    {
      ko: "구간이 $1일로 짧아 한 가지 장세만 봤을 수 있고 연율 수치는 추정입니다.",
      ru: "окно всего $1 дн., возможно, один вид рынка; годовые числа условны."
    }
  ],
  [
    /^Only (\d+) of ([\d,]+) bars? are there.*$/,
    {
      ko: "요청한 $2봉 중 $1봉만 있습니다. 기록이 그 뒤에 시작됩니다.",
      ru: "есть только $1 баров из $2: история начинается позже."
    }
  ],
  [
    /^Without its best trade .*$/,
    {
      ko: "가장 좋은 거래 하나를 빼면 수익이 없습니다.",
      ru: "без лучшей сделки прибыли бы не было."
    }
  ],
  [
    /^The last position was still open .*$/,
    {
      ko: "마지막 포지션은 열려 있어 마지막 종가로 닫았습니다.",
      ru: "последняя позиция была открыта и закрыта по последней цене."
    }
  ],
  [
    /^The equity was used up.*$/,
    {
      ko: "자본이 바닥나 그 뒤로는 거래하지 않았습니다.",
      ru: "капитал был исчерпан, дальше сделок не было."
    }
  ],
  [
    /^Liquidation is nearer than the stop.*$/,
    {
      ko: "손절보다 청산가가 가까워, 손절에 닿기 전에 청산됩니다.",
      ru: "ликвидация ближе стопа: позиция будет потеряна раньше, чем сработает стоп."
    }
  ],
  [
    /^The size is ([\d.]+) times the account.*$/,
    {
      ko: "규모가 계좌의 $1배라 이 레버리지로는 담을 수 없습니다.",
      ru: "размер в $1 раза больше счета: с таким плечом это не поместится."
    }
  ],
  [
    /^More leverage than the profile's max_leverage of ([\d.]+).*$/,
    {
      ko: "프로필의 최대 레버리지 $1배를 넘습니다.",
      ru: "плечо больше, чем допускает профиль ($1)."
    }
  ],
  [
    /^A target lies on the losing side.*$/,
    {
      ko: "목표가가 진입가의 손실 쪽에 있습니다.",
      ru: "цель лежит по убыточную сторону от входа."
    }
  ]
]

/** Translates a warning of a tool, or returns null if no translation is known. */
export const warningIn = (lang: Language, warning: string): string | null => {
  if (lang === "en") return warning
  const found = known.find(([pattern]) => pattern.test(warning))
  if (found === undefined) return null
  const [pattern, translations] = found
  return warning.replace(pattern, translations[lang])
}
