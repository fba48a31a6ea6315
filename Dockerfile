# gpubot in a container: one process, one database file, no root.
#
#   docker build -t gpubot .
#   docker run -v ./gpubot.toml:/etc/gpubot/gpubot.toml:ro -v gpubot:/var/lib/gpubot gpubot
#
# In the configuration: [store] path = "/var/lib/gpubot/gpubot.db". Set [web] host = "0.0.0.0"
# only when something outside the container (a load balancer, Prometheus) must reach it.

FROM python:3.13-slim AS build
RUN python -m venv /opt/gpubot
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src
COPY .ci/requirements-run.txt .ci/
RUN /opt/gpubot/bin/pip install --require-hashes -r .ci/requirements-run.txt
COPY pyproject.toml README.md LICENSE ./
COPY bot bot
RUN /opt/gpubot/bin/pip install --no-deps --no-build-isolation .

FROM python:3.13-slim
# The font lets charts carry Chinese names.
RUN apt-get update \
    && apt-get install -y --no-install-recommends fonts-wqy-microhei \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /var/lib/gpubot --shell /usr/sbin/nologin gpubot \
    && install -d -o gpubot -g gpubot -m 0750 /var/lib/gpubot /var/cache/gpubot
COPY --from=build /opt/gpubot /opt/gpubot
ENV PATH=/opt/gpubot/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    MPLCONFIGDIR=/var/cache/gpubot
USER 10001
WORKDIR /var/lib/gpubot
VOLUME /var/lib/gpubot
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8080/healthz', timeout=4)"]
ENTRYPOINT ["gpubot"]
CMD ["run", "--config", "/etc/gpubot/gpubot.toml"]
