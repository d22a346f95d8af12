# Builds the image from a clone: docker build --tag leadline .
# scripts/image makes the same image from the files of a release, without a daemon.
FROM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o /image/leadline . && \
    install -D /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ca-certificates.crt && \
    mkdir /image/data

FROM scratch
COPY --from=build /image/etc /etc
COPY --from=build /image/leadline /leadline
COPY --from=build --chown=65532:65532 /image/data /data
ENV LEADLINE_LISTEN=0.0.0.0:8080 LEADLINE_DATA=/data
USER 65532:65532
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=3s CMD ["/leadline", "health"]
ENTRYPOINT ["/leadline"]
