import { useFormats } from "../i18n/formats.ts"

export const ProfitLoss = ({ usd }: { readonly usd: number | null }) => {
  const { signedUsd } = useFormats()
  if (usd === null) return <span className="faint">–</span>
  const direction = Number(usd.toFixed(2))
  return <span className={direction > 0 ? "up" : direction < 0 ? "down" : ""}>{signedUsd(usd)}</span>
}

/** A trade's result as a multiple of the trade's risk, such as +1.50R. */
export const RMultiple = ({ r }: { readonly r: number | null }) => {
  const { signedMultiple } = useFormats()
  if (r === null) return <span className="faint">–</span>
  const direction = Number(r.toFixed(2))
  return <span className={direction > 0 ? "up" : direction < 0 ? "down" : ""}>{signedMultiple(r)}R</span>
}
