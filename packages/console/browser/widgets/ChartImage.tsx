import type { Chart } from "@tapeline/client"
import { useAsk } from "../asking/useAsk.ts"
import styles from "./ChartImage.module.css"
import { Told } from "./Told.tsx"

/** Converts a picture to a data URL. */
const pictureOf = ({ bytes, content_type }: Chart): Promise<{ readonly address: string }> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener("load", () => resolve({ address: typeof reader.result === "string" ? reader.result : "" }))
    reader.addEventListener("error", () => reject(reader.error ?? new Error("The picture could not be read")))
    reader.readAsDataURL(new Blob([bytes], { type: content_type }))
  })

/** A private chart of the account. It is loaded with the client, because it needs the account's credentials. */
export const ChartImage = ({ alt, chart }: { readonly alt: string; readonly chart: string }) => {
  const image = useAsk(
    ["chart", chart],
    async (client, options) => pictureOf(await client.chart(chart, options)),
    { freshMs: Infinity }
  )
  return (
    <Told of={image} waiting={<div className={styles["room"]} />}>
      {({ address }) => <img className={styles["chart"]} src={address} alt={alt} />}
    </Told>
  )
}
