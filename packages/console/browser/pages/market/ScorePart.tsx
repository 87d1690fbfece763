import { useMemo } from "react"
import { usePaid } from "../../asking/usePaid.ts"
import { LinePlot } from "../../widgets/LinePlot.tsx"
import { Notes } from "../../widgets/Notes.tsx"
import { Figure, Figures } from "../../widgets/parts.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useFormats } from "../../words/formats.ts"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import { type Score, scoreAsk, type ScoreHistory, scoreHistoryAsk } from "./asks.ts"
import styles from "./Market.module.css"
import { partWords } from "./partWords.ts"

/** The contribution of each factor around zero. The contributions add up to the score. */
const Factors = ({ factors }: Pick<Score, "factors">) => {
  const says = useWords(partWords)
  const { plain } = useFormats()
  const names = useFactorNames()
  const most = factors.reduce((most, { contribution }) => Math.max(most, Math.abs(contribution ?? 0)), 0) || 1
  return (
    <ul className={styles["factors"]} aria-label={says.factors}>
      {factors.map(({ about, contribution, name }) => (
        <li key={name} title={about}>
          <span className={styles["factorName"]}>{names[name]}</span>
          <span className={styles["factorBar"]} aria-hidden>
            {contribution !== null && (
              <span
                className={contribution < 0 ? styles["factorDown"] : styles["factorUp"]}
                style={{ width: `${Math.abs(contribution) / most * 50}%` }}
              />
            )}
          </span>
          <span
            className={contribution === null
              ? styles["faint"]
              : contribution > 0
              ? styles["factorPlus"]
              : styles["factorMinus"]}
          >
            {contribution === null ? says.notKnown : `${contribution > 0 ? "+" : ""}${plain(contribution, 1)}`}
          </span>
        </li>
      ))}
    </ul>
  )
}

const useFactorNames = (): Readonly<Record<Score["factors"][number]["name"], string>> => {
  const says = useWords(partWords)
  return {
    trend: says.trend,
    long_trend: says.longTrend,
    momentum: says.momentum,
    rsi: says.rsi,
    macd: says.macd,
    flow: says.flow,
    funding: says.funding,
    open_interest: says.openInterest
  }
}

const Body = ({ data }: { readonly data: Score }) => {
  const says = useWords(partWords)
  const { figure } = useNumbers()
  const { moment, percent, plain } = useFormats()
  const biases = { bullish: says.bullish, bearish: says.bearish, neutral: says.neutral } as const
  return (
    <>
      <Figures>
        <Figure name={says.score} more={says.scoreScale}>
          <span className={styles[`is-${data.bias}`]}>{data.score > 0 ? "+" : ""}{plain(data.score, 1)}</span>
        </Figure>
        <Figure name={says.bias} more={data.coverage < 1 ? says.covered(percent(data.coverage * 100, 0)) : undefined}>
          <span className={styles[`is-${data.bias}`]}>{biases[data.bias]}</span>
        </Figure>
      </Figures>
      <Factors factors={data.factors} />
      {data.divergences.length > 0 && (
        <ul className={styles["lines"]} aria-label={says.divergences}>
          {data.divergences.map((one) => (
            <li key={`${one.kind} ${one.bias} ${one.to.time}`}>
              <span className={styles[`is-${one.bias}`]}>{biases[one.bias]}</span> {says.divergence(
                one.kind === "hidden" ? says.hidden : says.regular,
                `${figure(one.from.price)} → ${figure(one.to.price)}`,
                `${plain(one.from.rsi, 0)} → ${plain(one.to.rsi, 0)}`,
                moment(one.to.time)
              )}
            </li>
          ))}
        </ul>
      )}
      <Notes of={data} />
    </>
  )
}

const History = ({ data }: { readonly data: ScoreHistory }) => {
  const says = useWords(partWords)
  const points = useMemo(() => data.points.map(({ score, time }) => ({ at: Date.parse(time), value: score })), [data])
  return <LinePlot label={says.scoreHistory} points={points} />
}

/** The score of a coin, its factors and its history. */
export const ScorePart = ({ coin }: { readonly coin: string }) => {
  const score = usePaid(scoreAsk(coin))
  const history = usePaid(scoreHistoryAsk(coin))
  return (
    <>
      <Told of={score}>{(data) => <Body data={data} />}</Told>
      <Told of={history}>{(data) => <History data={data} />}</Told>
    </>
  )
}
