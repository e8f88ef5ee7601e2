"""Texts as vectors: embeddings by a model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np

from stratagym.agents.chat import DEFAULT_URL, NO_KEY, Unavailable, public_url
from stratagym.agents.chat_clients import import_client, openai_proxy_for
from stratagym.envs.echo import masked

FILE = "embeddings.npz"
BATCH = 256
"""Texts of a request."""


class Embeddings:
    """Embeddings of texts, each asked for once and kept in a run's folder.

    Args:
        folder: the run's. model: its name. base_url: the endpoint, up to and with ``/v1``; None:
            OpenAI's. api_key_env: the environment variable that holds the key.

    Raises:
        ModuleNotFoundError: the openai package is missing.
        ValueError: ``base_url`` is no address.
        Unavailable: no request can be sent from here, such as through the proxy that is set.
    """

    def __init__(self, folder: Path, model: str, base_url: str | None, api_key_env: str):
        openai = import_client("openai")
        self.model, self._path, self._error = model, folder / FILE, openai.OpenAIError
        key = os.environ.get(api_key_env) or NO_KEY
        url = base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_URL
        public_url(url)
        password = urlsplit(url).password or ""
        self._secrets = [
            one for one in (key, password, unquote(password)) if one not in ("", NO_KEY)
        ]
        try:
            openai_proxy_for(url)
            self._client = openai.OpenAI(api_key=key, base_url=url)
        except Exception as error:  # whatever the environment holds: proxies, certificates
            raise Unavailable(f"embeddings by {model}: {self._plain(error)}") from None
        self._vectors = self._kept()

    def _kept(self) -> dict[str, np.ndarray]:
        """What the run's folder has of the model; nothing where it is torn or was changed."""
        try:
            with np.load(self._path) as kept:
                vectors = np.asarray(kept["vectors"], np.float32)
                texts = kept["texts"].tolist()
                if str(kept["model"]) != self.model or not np.isfinite(vectors).all():
                    return {}
                return dict(zip(texts, vectors, strict=True)) if vectors.ndim == 2 else {}
        except Exception:  # numpy and zipfile have many names for it
            return {}

    def learn(self, texts: Iterable[str]) -> None:
        """Ask for the embeddings of those texts that are not known.

        Raises:
            Unavailable: the endpoint gives none.
        """
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        for k in range(0, len(new), BATCH):
            part = new[k : k + BATCH]
            for text, vector in zip(part, self._ask(part), strict=True):
                self._vectors[text] = vector
            draft = self._path.with_name(f"{FILE}.part")
            with draft.open("wb") as file:
                known = list(self._vectors)
                vectors = np.array([self._vectors[text] for text in known])
                np.savez_compressed(file, model=self.model, texts=known, vectors=vectors)
            os.replace(draft, self._path)

    def _ask(self, texts: list[str]) -> np.ndarray:
        """(len(texts), d) float32."""
        try:
            answer = self._client.embeddings.create(
                model=self.model, input=texts, encoding_format="float"
            )
            found = np.array([one.embedding for one in answer.data], np.float32)
        except (self._error, ValueError, TypeError, AttributeError) as error:
            raise Unavailable(f"embeddings by {self.model}: {self._plain(error)}") from None
        if found.ndim != 2 or len(found) != len(texts) or not np.isfinite(found).all():
            raise Unavailable(f"embeddings by {self.model}: {len(texts)} vectors were expected")
        return found

    def _plain(self, error: Exception) -> str:
        """An error in one line, without anything secret."""
        said = masked(" ".join(str(error).split()))
        for secret in self._secrets:
            said = said.replace(secret, "[key]")
        return said[:300]

    def cosine(self, one: str, other: str) -> float:
        """The cosine of two texts' embeddings, -1 to 1."""
        self.learn([one, other])
        a, b = (self._vectors[text].astype(float) for text in (one, other))
        whole = np.sqrt((a @ a) * (b @ b))
        return float(a @ b / whole) if whole else 0.0
