import { useMemo } from "react"
import { useFormats } from "../../i18n/formats.ts"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { useToolQuery } from "../../requests/useToolQuery.ts"
import { Figure, Figures } from "../../widgets/layout.tsx"
import { LinePlot } from "../../widgets/LinePlot.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { ResultNotesView } from "../../widgets/ResultNotesView.tsx"
import { biasClasses } from "./biasClasses.ts"
import styles from "./Market.module.css"
import { type Score, type ScoreHistory, scoreHistoryQuery, scoreQuery } from "./queries.ts"
import { sectionTexts } from "./sectionTexts.ts"

/** A bar chart of the contributions of all factors to a score. The contributions add up to the score. */
const ScoreFactors = ({ factors }: Pick<Score, "factors">) => {
  const texts = useTexts(sectionTexts)
  const { decimal } = useFormats()
  const names = useFactorNames()
  const max = factors.reduce((max, { contribution }) => Math.max(max, Math.abs(contribution ?? 0)), 0) || 1
  return (
    <ul className={styles["factors"]} aria-label={texts.factors}>
      {factors.map(({ about, contribution, name }) => (
        <li key={name} title={about}>
          <span>{names[name]}</span>
          <span className={styles["factorBar"]} aria-hidden>
            {contribution !== null && (
              <span
                className={contribution < 0 ? styles["factorDown"] : styles["factorUp"]}
                style={{ width: `${Math.abs(contribution) / max * 50}%` }}
              />
            )}
          </span>
          <span
            className={contribution === null
              ? "faint"
              : contribution > 0
              ? "up"
              : "down"}
          >
            {contribution === null ? texts.notKnown : `${contribution > 0 ? "+" : ""}${decimal(contribution, 1)}`}
          </span>
        </li>
      ))}
    </ul>
  )
}

const useFactorNames = (): Readonly<Record<Score["factors"][number]["name"], string>> => {
  const texts = useTexts(sectionTexts)
  return {
    trend: texts.trend,
    long_trend: texts.longTrend,
    momentum: texts.momentum,
    rsi: texts.rsi,
    macd: texts.macd,
    flow: texts.flow,
    funding: texts.funding,
    open_interest: texts.openInterest
  }
}

const ScoreView = ({ data }: { readonly data: Score }) => {
  const texts = useTexts(sectionTexts)
  const { figure } = useNumbers()
  const { dayTime, percent, decimal } = useFormats()
  const biases = { bullish: texts.bullish, bearish: texts.bearish, neutral: texts.neutral } as const
  return (
    <>
      <Figures>
        <Figure name={texts.score} detail={texts.scoreScale}>
          <span className={biasClasses[data.bias]}>{data.score > 0 ? "+" : ""}{decimal(data.score, 1)}</span>
        </Figure>
        <Figure
          name={texts.bias}
          detail={data.coverage < 1 ? texts.covered(percent(data.coverage * 100, 0)) : undefined}
        >
          <span className={biasClasses[data.bias]}>{biases[data.bias]}</span>
        </Figure>
      </Figures>
      <ScoreFactors factors={data.factors} />
      {data.divergences.length > 0 && (
        <ul className="column gap-half small" aria-label={texts.divergences}>
          {data.divergences.map((one) => (
            <li key={`${one.kind} ${one.bias} ${one.to.time}`}>
              <span className={biasClasses[one.bias]}>{biases[one.bias]}</span> {texts.divergence(
                one.kind === "hidden" ? texts.hidden : texts.regular,
                `${figure(one.from.price)} → ${figure(one.to.price)}`,
                `${decimal(one.from.rsi, 0)} → ${decimal(one.to.rsi, 0)}`,
                dayTime(one.to.time)
              )}
            </li>
          ))}
        </ul>
      )}
      <ResultNotesView result={data} />
    </>
  )
}

const ScoreHistoryPlot = ({ data }: { readonly data: ScoreHistory }) => {
  const texts = useTexts(sectionTexts)
  const points = useMemo(() => data.points.map(({ score, time }) => ({ at: Date.parse(time), value: score })), [data])
  return <LinePlot label={texts.scoreHistory} points={points} />
}

export const ScoreSection = ({ coin }: { readonly coin: string }) => {
  const score = useToolQuery(scoreQuery(coin))
  const history = useToolQuery(scoreHistoryQuery(coin))
  return (
    <>
      <RequestView request={score}>{(data) => <ScoreView data={data} />}</RequestView>
      <RequestView request={history}>{(data) => <ScoreHistoryPlot data={data} />}</RequestView>
    </>
  )
}
