// The JSON of the server, as its routes document it. Types only: nothing of this is served.

export type Polarity = "positive" | "negative" | "neutral";

/** Answer of `GET /info`. */
export interface Info {
  version: string;
  models: ModelInfo[];
  limits: Limits;
}

export interface ModelInfo {
  name: string;
  schemes: string[];
  parameters: number;
  rounds: number;
}

export interface Limits {
  max_text_bytes: number;
  max_upload_bytes: number;
}

/** A model and an annotation scheme of it. */
export interface Choice {
  model: string;
  scheme?: string;
}

/** Answer of `POST /analyze`. */
export interface AnalyzeResponse {
  model: string;
  scheme?: string;
  results: Review[];
}

export interface Review {
  text: string;
  sentiment: { polarity: Polarity; confidence: number } | null;
  aspects: Aspect[];
  opinions: Opinion[];
}

export interface Aspect {
  term: string;
  start: number;
  end: number;
  sentiment: Polarity;
  span_confidence: number;
  sentiment_confidence: number;
  opinions: { opinion: number; weight: number }[];
}

export interface Opinion {
  term: string;
  start: number;
  end: number;
  confidence: number;
}

/** Answer of `POST /explain`. Rows of numbers belong to tokens, columns to tags or polarities. */
export interface Explanation {
  tags: string[];
  polarities: Polarity[];
  sentences: Sentence[];
  sentences_left_out: number;
}

export interface Sentence {
  tokens: { text: string; start: number; end: number }[];
  rounds: Round[];
}

export interface Round {
  tags: number[][];
  sentiments: number[][];
  attention: number[][];
  document: {
    sentiment: number[];
    sentiment_attention: number[];
    domain_attention: number[];
  } | null;
}

/** A job, as `GET /jobs/ID` and its events give it. */
export interface Job {
  id: string;
  state: "queued" | "running" | "finished" | "failed" | "cancelled";
  options: { name?: string; format: string; column?: string; model?: string; scheme?: string };
  progress: {
    bytes: number;
    bytes_read: number;
    reviews: number;
    aspects: number;
    errors: number;
  };
  error?: string;
  warning?: string;
  created: string;
  started?: string;
  ended?: string;
}
