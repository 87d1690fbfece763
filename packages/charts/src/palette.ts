import type { Chart } from "@tapeline/core/charts"

/**
 * The colours of a chart theme. Rises and falls differ in lightness, because some readers cannot distinguish red from
 * green.
 */
export interface Palette {
  readonly background: string
  readonly border: string
  readonly grid: string
  readonly text: string
  readonly muted: string
  readonly up: string
  readonly down: string
  readonly upSoft: string
  readonly downSoft: string
  readonly tagText: string
  readonly ema20: string
  readonly ema50: string
  readonly ema200: string
  readonly vwap: string
  readonly band: string
  readonly bandFill: string
  readonly support: string
  readonly resistance: string
  readonly long: string
  readonly short: string
  readonly line: string
  readonly lineFill: string
  readonly zone: string
}

const dark: Palette = {
  background: "#0f141d",
  border: "#2a3342",
  grid: "#1a212d",
  text: "#e3e8f0",
  muted: "#8c97a8",
  up: "#2fbf9b",
  down: "#f0566b",
  upSoft: "rgba(47,191,155,0.42)",
  downSoft: "rgba(240,86,107,0.42)",
  tagText: "#0b0f16",
  ema20: "#f5b942",
  ema50: "#5aa9ff",
  ema200: "#c58bff",
  vwap: "#ff8f5e",
  band: "#6f86a6",
  bandFill: "rgba(111,134,166,0.09)",
  support: "#4ec9a8",
  resistance: "#f27d8d",
  long: "#ffb547",
  short: "#7cc4ff",
  line: "#7aa7ff",
  lineFill: "rgba(122,167,255,0.13)",
  zone: "rgba(140,151,168,0.07)"
}

const light: Palette = {
  background: "#ffffff",
  border: "#d4dae3",
  grid: "#eef1f5",
  text: "#19212e",
  muted: "#66717f",
  up: "#0b9776",
  down: "#d83a52",
  upSoft: "rgba(11,151,118,0.38)",
  downSoft: "rgba(216,58,82,0.38)",
  tagText: "#ffffff",
  ema20: "#d08700",
  ema50: "#2563c9",
  ema200: "#8b45d6",
  vwap: "#d9541e",
  band: "#8493a8",
  bandFill: "rgba(100,120,150,0.08)",
  support: "#0b8a6c",
  resistance: "#c93a50",
  long: "#c77700",
  short: "#1f78c8",
  line: "#3566c9",
  lineFill: "rgba(53,102,201,0.10)",
  zone: "rgba(102,113,127,0.06)"
}

export const getPalette = (theme: Chart["theme"]): Palette => theme === "dark" ? dark : light
